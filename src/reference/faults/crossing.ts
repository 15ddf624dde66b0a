import { setTimeout } from "node:timers/promises";

import { bindingOf, isBound } from "../checks.ts";
import type { Call, CheckName } from "../model.ts";
import { type CheckPatch, onlyOn } from "../patches.ts";
import { type Faults, ownedBy } from "./fault.ts";

const how =
  "The handler was written for one request at a time, and other requests run while it awaits.";
const shared =
  "Requests for the same thing should share one lookup, and its key lacks what distinguishes them.";

/** Faults by which one request gets data of another: of one that is served in parallel, or of the one before it. */
export const CROSSING_FAULTS: Faults = ownedBy("receiver.isolation", {
  "claims-kept-in-a-variable": {
    title: "Keeps the claims of the current request in a variable of the module",
    shows: "Answers a view by the token of another request that is under way at the same time",
    how,
    verifySignature: onlyOn("viewOrganization", keeping(["claims"])),
  },
  "claims-kept-in-a-variable-for-the-list": {
    title: "Keeps the claims of the current request in a variable while it lists organizations",
    shows: "Answers a list with what is for another request that is under way at the same time",
    how,
    verifySignature: onlyOn("listOrganizations", keeping(["claims"])),
  },
  "list-shared-while-under-way": {
    title: "Gives a list that it is building to other requests that ask for a list in the meantime",
    shows: "Answers a list with what is for another request that is under way at the same time",
    how: shared,
    findOrganization: onlyOn("listOrganizations", sharing(["claims"])),
  },
  "subject-kept-in-a-variable": {
    title: "Keeps the subject of the current request in a variable of the module",
    shows: "Answers a view by the token of another request that is under way at the same time",
    how,
    checkBinding: onlyOn(
      "viewOrganization",
      keeping(["claims"], (call, { claims }) => {
        call.claims = { ...call.claims, sub: claims?.["sub"] };
      }),
    ),
  },
  "feed-organization-kept-in-a-variable": {
    title: "Keeps the organization whose feed it reads in a variable of the module",
    shows: "Answers a feed with what is for another request that is under way at the same time",
    how,
    findOrganization: onlyOn("readChangesFeed", keeping(["organization"])),
  },
  "feed-shared-while-under-way": {
    title: "Gives a feed that it is reading to other requests that ask for a feed in the meantime",
    shows: "Answers a feed with what is for another request that is under way at the same time",
    how: shared,
    findOrganization: onlyOn("readChangesFeed", sharing(["organization"])),
  },
  "change-organization-kept-in-a-variable": {
    title: "Keeps the organization whose change it reads in a variable of the module",
    shows: "Answers a change with what is for another request that is under way at the same time",
    how,
    findOrganization: onlyOn("readChange", keeping(["organization"])),
  },
  "change-shared-while-under-way": {
    title:
      "Gives a change that it is reading to other requests that ask for a change in the meantime",
    shows: "Answers a change with what is for another request that is under way at the same time",
    how: shared,
    findOrganization: onlyOn("readChange", sharing(["organization", "changeId"])),
  },
  "binding-kept-from-another-request": {
    title: "Holds an unbound token to the organization of the bound token before it",
    how: "The binding is kept in a variable of the thread, which a request without a binding does not clear.",
    checkBinding: onlyOn("viewOrganization", (original) => {
      let kept: unknown;
      return (call) => {
        const { bindingClaim } = call.receiver;
        if (isBound(call)) kept = bindingOf(call);
        return original(
          kept === undefined ? call : { ...call, claims: { ...call.claims, [bindingClaim]: kept } },
        );
      };
    }),
  },
  "user-kept-in-a-variable": {
    title: "Keeps the user of the current request in a variable of the module, on all routes",
    shows:
      "Answers a request with what is for another one that is under way at the same time, on all routes",
    how,
    checkRequiredClaims: keeping(["claims"]),
  },
  "user-kept-for-connection": {
    title: "Takes a request without a valid token for one of the last user of its connection",
    how: "The user is kept with the socket, as NTLM does, and only a valid token replaces it.",
    source: "RFC 4559 §6",
    ...keptForConnection(),
  },
});

const LOOKUP_MS = 20;

type Kept = "claims" | "organization" | "changeId";

/**
 * Stores the result of a step in a shared variable and reads it after a lookup, so the last request decides.
 * @param give copies from the variable into a call. Default: everything
 */
function keeping(
  names: readonly Kept[],
  give: (call: Call, current: Partial<Call>) => void = Object.assign,
): CheckPatch {
  return (original) => {
    let current: Partial<Call> = {};
    return async (call) => {
      await original(call);
      current = picked(call, names);
      await setTimeout(LOOKUP_MS);
      give(call, current);
    };
  };
}

/** Falls back to the claims of the last valid token on the connection if a token is missing or not valid. */
function keptForConnection(): Readonly<Partial<Record<CheckName, CheckPatch>>> {
  const users = new WeakMap<object, Call["claims"]>();
  const patch: CheckPatch = (original) => async (call) => {
    const kept = users.get(call.connection);
    if (call.claims === kept && kept !== undefined) return;
    try {
      await original(call);
    } catch (refusal) {
      if (!kept) throw refusal;
      call.claims = kept;
    }
  };
  return {
    readCredentials: patch,
    verifySignature: patch,
    checkType: patch,
    checkIssuer: patch,
    checkAudience: patch,
    checkExpiry: patch,
    checkRequiredClaims: (original) => async (call) => {
      await patch(original)(call);
      users.set(call.connection, call.claims);
    },
  };
}

/** Gives a request that passed the checks the result of a request in progress, so the first request decides. */
function sharing(names: readonly Kept[]): CheckPatch {
  return (original) => {
    let underWay: Promise<Partial<Call>> | undefined;
    return async (call) => {
      await original(call);
      underWay ??= setTimeout(LOOKUP_MS, picked(call, names)).finally(() => {
        underWay = undefined;
      });
      Object.assign(call, await underWay);
    };
  };
}

function picked(call: Call, names: readonly Kept[]): Partial<Call> {
  return Object.fromEntries(names.map((name) => [name, call[name]]));
}
