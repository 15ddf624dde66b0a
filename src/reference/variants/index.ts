import { STATUS_CODES } from "node:http";
import { gzipSync } from "node:zlib";

import { CLOCK_SKEW_SECONDS, isBound, isNumericDate } from "../checks.ts";
import { documentWith } from "../document-patch.ts";
import type { Call, Check, CheckName, Steps } from "../model.ts";
import { reject } from "../reject.ts";
import type { Patch } from "../steps.ts";
import { ACCESS_VARIANTS } from "./access.ts";
import { CLAIM_VARIANTS } from "./claim.ts";
import { DOCUMENT_VARIANTS } from "./document.ts";
import { FEED_VARIANTS } from "./feed.ts";
import { HTTP_VARIANTS } from "./http.ts";
import { ID_VARIANTS } from "./ids.ts";
import { PACE_VARIANTS } from "./pace.ts";
import { PAGINATION_VARIANTS } from "./pagination.ts";
import { REPLICA_VARIANTS } from "./replicas.ts";
import { RESOURCE_VARIANTS } from "./resource.ts";
import { SERVER_VARIANTS } from "./server.ts";
import { SHAPE_VARIANTS } from "./shape.ts";
import { SIGNATURE_VARIANTS } from "./signature.ts";
import { type Variant, without } from "./variant.ts";

/** Every conforming variant that the reference receiver can be started with. */
export const VARIANTS: readonly Variant[] = [
  {
    name: "statuses-all-403",
    title: "Checks 1 to 6 answer 403",
    uses: ["statuses"],
    patches: [rejecting(403)],
  },
  {
    name: "statuses-all-400",
    title: "Checks 1 to 6 answer 400",
    uses: ["statuses"],
    patches: [rejecting(400)],
  },
  {
    name: "statuses-all-404",
    title: "Checks 1 to 6 answer 404",
    uses: ["statuses"],
    patches: [rejecting(404)],
  },
  {
    name: "bare-bodies",
    title: "A list is a bare array, and a single resource a bare object; nothing is paginated",
    uses: ["envelope", "pages"],
    patches: [
      {
        step: "shape",
        patch: () => (content) => ("data" in content ? content.data : content.items),
      },
      { step: "paginate", patch: () => (_call, items) => ({ items }) },
    ],
    describe: (profile) =>
      without(profile, ["paginated", "items", "pagination", "organization", "id"]),
  },
  {
    name: "no-pagination",
    title: "Lists are returned as a whole, without PaginatedResultsInfo",
    uses: ["pages"],
    patches: [{ step: "paginate", patch: () => (_call, items) => ({ items }) }],
    describe: (profile) => without(profile, ["paginated", "pagination"]),
  },
  {
    name: "unbound-refused",
    title: "Local policy refuses unbound tokens",
    uses: ["binding"],
    patches: [
      {
        step: "applyPolicy",
        patch: (original) => (call) => {
          if (isBound(call)) return original(call);
          throw reject(call, "applyPolicy", "Tokens must be bound to an organization.");
        },
      },
    ],
  },
  {
    name: "list-refuses-bound",
    title: "The list refuses bound tokens",
    uses: ["binding"],
    patches: [
      {
        step: "checkBinding",
        patch: (original) => (call) => {
          if (call.orgId !== undefined || !isBound(call)) return original(call);
          throw reject(call, "checkBinding", "The access token is for one organization.");
        },
      },
    ],
  },
  {
    name: "at-jwt-only",
    title: "`typ` must be at+jwt, RFC 9068 section 4",
    uses: ["typ"],
    patches: [
      {
        step: "checkType",
        patch: requiring("checkType", ({ header }) =>
          /^(?:application\/)?at\+jwt$/i.test(String(header["typ"])),
        ),
      },
    ],
  },
  {
    name: "typ-jwt-only",
    title: "`typ` must be JWT, in upper case",
    uses: ["typ"],
    patches: [
      {
        step: "checkType",
        patch: requiring("checkType", ({ header }) => header["typ"] === "JWT"),
      },
    ],
  },
  {
    name: "typ-ignored",
    title: "`typ` is ignored",
    uses: ["typ"],
    patches: [{ step: "checkType", patch: () => () => {} }],
  },
  {
    name: "typ-absent-only",
    title: "`typ` must be absent",
    uses: ["typ"],
    patches: [
      {
        step: "checkType",
        patch: requiring("checkType", ({ header }) => header["typ"] === undefined),
      },
    ],
  },
  {
    name: "strict-iat",
    title: "`iat` must not be in the future or older than an hour",
    patches: [
      {
        step: "checkRequiredClaims",
        patch: requiring("checkRequiredClaims", ({ claims, receiver }) => {
          const { iat } = claims;
          const now = receiver.steps.now();
          return isNumericDate(iat) && iat <= now + CLOCK_SKEW_SECONDS && iat >= now - 3600;
        }),
      },
    ],
  },
  {
    name: "clock-ahead",
    title: "The receiver's clock is an hour ahead, and its Date header says so",
    uses: ["clock"],
    patches: [{ step: "now", patch: (original) => () => original() + 3600 }],
  },
  {
    name: "change-ids-numeric",
    title: "Each organization numbers its changes from 1",
    patches: [
      { step: "newChangeId", patch: numbering },
      documentWith(["components", "schemas", "Change", "properties", "id"], { type: "integer" }),
    ],
    documented: true,
  },
  {
    name: "writes-204",
    title: "An edit is answered with 204 without a body, a submission with 201 and only Location",
    uses: ["submission", "edit"],
    patches: [
      {
        step: "finish",
        patch: (original) => (answer, receiver, call) => {
          const { status, headers = {} } = answer;
          if (call?.operation === "editOrganization" && status === 200) {
            return original({ status: 204, headers }, receiver, call);
          }
          if (call?.operation === "submitChange" && status === 202) {
            return original({ status: 201, headers }, receiver, call);
          }
          return original(answer, receiver, call);
        },
      },
    ],
    describe: (profile) => without(profile, ["id"]),
  },
  {
    name: "gzip",
    title: "Every body is compressed",
    documented: true,
    patches: [
      {
        step: "encode",
        patch: (original) => (answer) => {
          const { status, headers, payload } = original(answer);
          if (payload === undefined) return { status, headers, payload };
          return {
            status,
            headers: { ...headers, "content-encoding": "gzip" },
            payload: gzipSync(payload),
          };
        },
      },
    ],
  },
  {
    name: "closes-connections",
    title: "The connection is closed after every answer",
    patches: [
      {
        step: "finish",
        patch: (original) => (answer, receiver, call) =>
          original(
            { ...answer, headers: { ...answer.headers, connection: "close" } },
            receiver,
            call,
          ),
      },
    ],
  },
  {
    name: "problem-json",
    title: "Errors are problem details (RFC 9457) that also have the Error body's members",
    patches: [
      {
        step: "errorBody",
        patch: (original) => (refusal) => ({
          type: "about:blank",
          title: STATUS_CODES[refusal.status],
          ...(original(refusal) as object),
        }),
      },
      {
        step: "finish",
        patch: (original) => (answer, receiver, call) => {
          if (answer.status < 400) return original(answer, receiver, call);
          const headers = { ...answer.headers, "content-type": "application/problem+json" };
          return original({ ...answer, headers }, receiver, call);
        },
      },
    ],
  },
  ...ACCESS_VARIANTS,
  ...CLAIM_VARIANTS,
  ...DOCUMENT_VARIANTS,
  ...FEED_VARIANTS,
  ...HTTP_VARIANTS,
  ...ID_VARIANTS,
  ...PACE_VARIANTS,
  ...PAGINATION_VARIANTS,
  ...REPLICA_VARIANTS,
  ...RESOURCE_VARIANTS,
  ...SHAPE_VARIANTS,
  ...SIGNATURE_VARIANTS,
  ...SERVER_VARIANTS,
];

/** Numbers the changes of each feed, including those that are removed again. */
function numbering(): Steps["newChangeId"] {
  const numbers = new WeakMap<object, number>();
  return (_store, feed) => {
    const number = (numbers.get(feed) ?? 0) + 1;
    numbers.set(feed, number);
    return number;
  };
}

/** Makes checks 1 to 6 answer `status`. The contract requires 403 for check 7. */
function rejecting(status: number): Patch {
  return {
    step: "rejectionStatus",
    patch: (original) => (check) => (check === "applyPolicy" ? original(check) : status),
  };
}

/** Makes a check also refuse calls that do not fulfil `condition`. */
function requiring(
  check: CheckName,
  condition: (call: Call) => boolean,
): (original: Check) => Check {
  return (original) => (call) => {
    if (condition(call)) return original(call);
    throw reject(call, check, "The access token does not have the required form.");
  };
}
