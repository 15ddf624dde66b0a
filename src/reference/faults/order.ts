import { decodeJwt } from "jose";

import {
  applyPolicy,
  checkAudience,
  checkBinding,
  checkExpiry,
  checkIssuer,
  checkScope,
} from "../checks.ts";
import type { Call, CheckName, Steps } from "../model.ts";
import { type CheckPatch, fails, onlyOn } from "../patches.ts";
import { Refusal } from "../refusal.ts";
import type { Patch } from "../steps.ts";
import { type Faults, ofEach, ownedBy } from "./fault.ts";

type Checks = Steps["checks"];

/** Faults in the order of checks, which show in a status or in whether an organization exists. */
export const ORDER_FAULTS: Faults = ownedBy("receiver.oracle", {
  ...ownedBy("receiver.order", {
    "order-scope-before-expiry": {
      title: "Checks scope before expiry",
      how: "A guard checks the scopes of a route before the middleware that checks times.",
      checks: moved("checkScope", "checkExpiry"),
    },
    "order-scope-before-expiry-on-readChangesFeed": {
      title: "Checks scope before expiry, on readChangesFeed",
      how: "The handler itself checks the scope, before it passes the token to the code that checks times.",
      checks: onlyOn("readChangesFeed", moved("checkScope", "checkExpiry")),
    },
    "order-scope-before-issuer-on-listOrganizations": {
      title: "Checks scope before the issuer, on listOrganizations",
      how: "The list has its own guard, which runs before the guard of all routes.",
      checks: onlyOn("listOrganizations", moved("checkScope", "checkIssuer")),
    },
    "order-binding-before-audience-on-submitChange": {
      title: "Checks the binding before the audience, on submitChange",
      how: "The tenant is resolved first, so that the submission can be put into the tenant's queue.",
      checks: onlyOn("submitChange", moved("checkBinding", "checkAudience")),
    },
    "order-binding-before-audience": {
      title: "Checks the binding before the audience",
      how: "The tenant is resolved first, because its settings contain the audience.",
      checks: moved("checkBinding", "checkAudience"),
    },
    "order-policy-before-issuer": {
      title: "Applies local policy before it checks the issuer",
      how: "An allow list of subjects is checked first.",
      checks: moved("applyPolicy", "checkIssuer"),
    },
    "order-scope-before-signature": {
      title: "Checks scope before the signature",
      how: "A gateway decodes the token for its routing rules, and the service verifies it.",
      // An unreadable token has no scope. The service itself refuses it.
      verifySignature: beforeSignature((decoded) => decoded.receiver.steps.checkScope(decoded)),
    },
    "order-claims-before-signature": {
      title: "Checks issuer, audience and expiry before the signature, and answers them with 403",
      how: "A gateway compares the claims of the decoded token with its policy for the route, and the service verifies the signature.",
      verifySignature: beforeSignature((decoded) => {
        if ([checkIssuer, checkAudience, checkExpiry].some((check) => fails(check, decoded))) {
          throw new Refusal(403, "The policy of this route does not permit the token.");
        }
      }),
    },
    "order-tenant-before-signature": {
      title: "Checks the binding and local policy before the signature",
      how: "The tenant is resolved first, by the decoded token, because each tenant has keys of its own.",
      verifySignature: beforeSignature((decoded) => {
        checkBinding(decoded);
        applyPolicy(decoded);
      }),
    },
    "order-audience-before-issuer": {
      title: "Checks the audience before the issuer, and answers it with 403",
      how: "A gateway's policy for the host compares `aud`, and the service knows the issuers.",
      checks: moved("checkAudience", "checkIssuer"),
      ...forbidding("checkAudience"),
    },
    "order-expiry-before-issuer": {
      title: "Checks expiry before issuer and audience, and answers these with 403",
      how: "The library checks `exp` together with the signature, and the service compares `iss` and `aud` itself.",
      checks: moved("checkExpiry", "checkIssuer"),
      ...forbidding("checkIssuer", "checkAudience"),
    },
    "order-binding-before-scope": {
      title: "Finds only the organization that the token is bound to, whatever its scope",
      how: "The organization is loaded from the token's own ones before the handler checks scopes.",
      checkScope: (original) => (call) => {
        if (fails(checkBinding, call)) throw new Refusal(404, "There is no such organization.");
        return original(call);
      },
    },
    "order-policy-before-scope": {
      title: "Applies local policy before it checks scope",
      how: "The access list is checked when the subject is looked up, and the handler checks scopes.",
      checkScope: () => (call) => {
        applyPolicy(call);
        if (fails(checkScope, call)) throw new Refusal(401, "The scope is not sufficient.");
      },
    },
    "order-policy-before-binding": {
      title: "Applies local policy before it checks the binding",
      how: "The binding check was added after the access list, at the end of the chain.",
      checkBinding: () => (call) => {
        applyPolicy(call);
        if (fails(checkBinding, call)) throw new Refusal(404, "There is no such organization.");
      },
    },
  }),
  "lookup-before-checks": {
    title: "Shows whether the organization exists before it checks the token",
    how: "The framework resolves the id in the path to a record before any guard runs.",
    checks: moved("findOrganization", "readCredentials"),
  },
  ...ofEach(["readChangesFeed", "editOrganization"] as const, (operation) => ({
    [`lookup-before-checks-on-${operation}`]: {
      title: `Shows whether the organization exists before it checks the token, on ${operation}`,
      how: "The handler loads the record first, and then checks the token.",
      checks: onlyOn(operation, moved("findOrganization", "readCredentials")),
    },
  })),
  "lookup-before-expiry": {
    title: "Shows whether the organization exists before it checks expiry",
    how: "The record is loaded together with the tenant's keys.",
    checks: moved("findOrganization", "checkExpiry"),
  },
});

function moved(check: CheckName, before: CheckName): (original: Checks) => Checks {
  return (original) => (call) =>
    original(call)
      .filter((name) => name !== check)
      .flatMap((name) => (name === before ? [check, name] : [name]));
}

/** Answers tokens that fail these checks with 403 instead of 401. */
function forbidding(...checks: readonly CheckName[]): Patch {
  return {
    rejectionStatus: (original) => (check) => (checks.includes(check) ? 403 : original(check)),
  };
}

/** Judges a token that can be read by its claims before its signature is verified. */
function beforeSignature(judge: (decoded: Call) => void | Promise<void>): CheckPatch {
  return (original) => async (call) => {
    const claims = decodedClaims(call);
    if (Object.keys(claims).length > 0) await judge({ ...call, claims });
    return original(call);
  };
}

function decodedClaims(call: Call): Call["claims"] {
  try {
    return decodeJwt(call.token ?? "");
  } catch {
    return {};
  }
}
