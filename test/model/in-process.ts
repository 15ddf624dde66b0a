import type { FastifyInstance, InjectOptions } from "fastify";

import type { HttpRequest } from "../../src/http/exchange.ts";
import type { Known, KnownIssuer } from "../../src/model/known.ts";
import { readKeys } from "../../src/reference/keys.ts";
import type { Receiver } from "../../src/reference/model.ts";
import { feedOf } from "../../src/reference/routes.ts";
import { createServer } from "../../src/reference/server.ts";
import { applyPatches, type Patch, STEPS } from "../../src/reference/steps.ts";
import {
  DENIED,
  OTHER,
  PARTNER,
  PRIMARY,
  seededStore,
  SUBJECT,
} from "../../src/reference/store.ts";

export const BASE_URL = "https://sync.example.com/common-grants";
export const BINDING = "https://example.com/org_id";
/** The reference's clock stands still. */
export const NOW = 1_800_000_000;
export const BODY = '{"mission":"conformance ${unique}"}';

const SKEW_SECONDS = 5;
const ORGANIZATIONS = 3;

/** The reference receiver without sockets, and what is known of it. */
export interface InProcess {
  /** Forgets all that was written. */
  reset(): void;
  known(): Known;
  /** The status of the answer. */
  send(request: HttpRequest): Promise<number>;
}

function keysOf({ keys = [] }: KnownIssuer): ReturnType<typeof readKeys> {
  return readKeys({ keys: keys.map((jwk) => ({ ...jwk })) });
}

/** Starts a receiver that trusts the first issuer as its test issuer, and the second one beside it. */
export async function referenceInProcess(
  issuer: KnownIssuer,
  beside: KnownIssuer,
  patches: readonly Patch[] = [],
): Promise<InProcess> {
  let receiver: Receiver = {
    steps: applyPatches({ ...STEPS, now: () => NOW }, patches),
    baseUrl: BASE_URL,
    issuer: issuer.url,
    own: { issuer: beside.url, keys: await keysOf(beside) },
    bindingClaim: BINDING,
    keys: await keysOf(issuer),
    keysUrl: undefined,
    fetch,
    store: seededStore(ORGANIZATIONS),
  };
  let lines: string[] = [];
  const app: FastifyInstance = createServer(() => receiver);
  app.addHook("onRequest", (request, _reply, done) => {
    // The stand-in for a request of Node has none.
    Object.defineProperty(request.raw, "headersDistinct", { value: { authorization: lines } });
    done();
  });
  await app.ready();
  return {
    reset: () => {
      receiver = { ...receiver, store: seededStore(ORGANIZATIONS) };
    },
    known: () => knownOf(receiver, [issuer, beside]),
    async send({ method, path, headers, body }) {
      lines = headers.flatMap(([name, value]) => (name === "authorization" ? [value] : []));
      const answer = await app.inject({
        method: method as NonNullable<InjectOptions["method"]>,
        url: path,
        headers: Object.fromEntries(headers.map(([name, value]) => [name, value])),
        ...(body !== undefined && { payload: body }),
      });
      return answer.statusCode;
    },
  };
}

function knownOf(receiver: Receiver, issuers: readonly KnownIssuer[]): Known {
  const organizations = [...receiver.store.organizations.values()];
  const write = { body: BODY, contentType: "application/json", invalidBody: '{"name":7}' };
  return {
    basePath: "/common-grants",
    audience: BASE_URL,
    issuers,
    bindingClaim: BINDING,
    typs: ["JWT", "at+jwt", "application/at+jwt", undefined],
    operations: {
      listOrganizations: { paginated: true },
      viewOrganization: {},
      editOrganization: write,
      submitChange: write,
      readChangesFeed: { paginated: true },
      readChange: {},
    },
    ownClaims: [],
    ownFields: [],
    policy: {
      allowed: [{ subject: SUBJECT }, { subject: PARTNER }],
      denied: [
        { subject: SUBJECT, organization: DENIED },
        { subject: PARTNER, organization: DENIED },
        { subject: PARTNER, organization: PRIMARY },
      ],
      othersDenied: true,
    },
    organizations: { existing: [PRIMARY, OTHER, DENIED], complete: true },
    changes: {
      existing: organizations.flatMap((one) =>
        feedOf(receiver, one).map(({ id }) => ({ organization: one.id, id: String(id) })),
      ),
      complete: true,
    },
    now: { earliest: NOW, latest: NOW },
    skewSeconds: SKEW_SECONDS,
  };
}
