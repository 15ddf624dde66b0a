import { OPERATIONS, SCOPES } from "../contract/operations.ts";
import type { HttpRequest } from "../http/exchange.ts";
import type { JsonObject } from "../lib/json.ts";
import {
  type Mutation,
  type MutationContext,
  type Patch,
  type TokenChange,
  withHeaders,
} from "../mutations/mutation.ts";
import type { Facts } from "../profile/facts.ts";
import { earliestNowSeconds, type TokenDraft } from "../tokens/draft.ts";
import { ALL_EDITS, edited, type Edited } from "./edits.ts";
import { chosen } from "./edits/edit.ts";
import {
  CARRIERS,
  FORGERIES,
  MORE_PATHS,
  MORE_PRESENTATIONS,
  PATHS,
  PAYLOADS,
  PRESENTATIONS,
  TEXTS,
} from "./forms.ts";

/** Changes of a good request, as data that does not depend on the deployment. */

/** What a drawn value begins with. */
export type Start =
  /** The good token's own value of the member. */
  | "own"
  | "issuer"
  | "audience"
  | "subject"
  | "organization"
  | "other organization"
  | "denied organization"
  | "denied subject"
  /** The scope that the operation needs. */
  | "scope"
  /** All others together. */
  | "other scopes"
  /** The audience as it would be on another host. */
  | "elsewhere";

/** A value near one that is known, or one that is written down. */
export type Value =
  | {
      readonly near: Start;
      readonly edits: readonly Edited[];
      /** Where all scopes stand that the operation does not need, in the same text. Default: nowhere. */
      readonly others?: "before" | "after" | undefined;
    }
  | { readonly near: "time"; readonly seconds: number; readonly edits: readonly Edited[] }
  | { readonly near: "number"; readonly start: number; readonly edits: readonly Edited[] }
  | { readonly value: unknown }
  | { readonly absent: true };

/** A claim of the contract; `binding` stands for the organization-binding claim, whatever its name is. */
export type Claim =
  | "iss"
  | "sub"
  | "aud"
  | "exp"
  | "iat"
  | "nbf"
  | "scope"
  | "grant_type"
  | "binding";

/** One change of a good request. */
export type Change =
  | { readonly of: "claim"; readonly name: Claim; readonly value: Value }
  /** Another claim, which may be named nearly as one of the contract. */
  | { readonly of: "further claim"; readonly name: string; readonly value: Value }
  /** The good value under a name that is nearly right, and nothing under the right one. */
  | { readonly of: "name"; readonly name: Claim; readonly edits: readonly Edited[] }
  | { readonly of: "header"; readonly name: string; readonly value: Value }
  /** Another key of the issuer. */
  | { readonly of: "key"; readonly n: number }
  | { readonly of: "forgery"; readonly how: string; readonly n: number }
  | { readonly of: "payload"; readonly how: string }
  | { readonly of: "text"; readonly how: string }
  | { readonly of: "authorization"; readonly how: string }
  /** The token in another place than the Authorization header. */
  | { readonly of: "carrier"; readonly how: string }
  | { readonly of: "path"; readonly how: string }
  /** The organization in the path, in place of the token's. */
  | { readonly of: "place"; readonly organization: "other organization" | "denied organization" }
  | { readonly of: "method"; readonly method: "HEAD" }
  | { readonly of: "query"; readonly name: string; readonly value: Value }
  | { readonly of: "field"; readonly name: string; readonly value: Value };

/** What no two changes of one request may share. */
export function slotOf(change: Change): string {
  switch (change.of) {
    case "claim":
    case "name":
      return `claim ${change.name}`;
    case "further claim":
    case "header":
    case "query":
    case "field":
      return `${change.of} ${change.name}`;
    case "carrier":
      return "authorization";
    case "path":
    case "place":
    case "method":
      return "path";
    default:
      return change.of;
  }
}

/** A value for a request. `undefined` where there is none. */
function valueFor(value: Value, own: unknown, context: MutationContext): unknown {
  if ("absent" in value) return undefined;
  if ("value" in value) return value.value;
  if (value.near === "number") return afterEdits(String(value.start), value.edits);
  const start =
    value.near === "time"
      ? String(earliestNowSeconds(context.form) + value.seconds)
      : startFor(value.near, own, context);
  if (start === undefined) return undefined;
  // A time is a number until something is done to it.
  if (value.near === "time") {
    return value.edits.length === 0 ? Number(start) : afterEdits(start, value.edits);
  }
  const after = afterEdits(start, value.edits);
  if (value.others === undefined || typeof after !== "string") return after;
  const others = startFor("other scopes", undefined, context) ?? "";
  return value.others === "before" ? `${others} ${after}` : `${after} ${others}`;
}

function afterEdits(start: string, edits: readonly Edited[]): unknown {
  return edits.reduce<unknown>(
    (text, edit) => (typeof text === "string" ? edited(text, edit) : text),
    start,
  );
}

function startFor(start: Start, own: unknown, context: MutationContext): string | undefined {
  const { target, operation, organization, otherOrganization } = context;
  switch (start) {
    case "own":
      return textOf(own);
    case "issuer":
      return target.testIssuer.url;
    case "audience":
      return target.audience;
    case "subject":
      return target.subject;
    case "organization":
      return organization;
    case "other organization":
      return otherOrganization;
    case "denied organization":
      return target.denied?.organization;
    case "denied subject":
      return target.denied?.subject;
    case "scope":
      return operation.scope;
    case "other scopes":
      return SCOPES.filter((one) => one !== operation.scope).join(" ");
    case "elsewhere":
      return `https://x.example${target.basePath}`;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" || value === undefined ? value : JSON.stringify(value);
}

function ownOf(name: Claim, { claims }: TokenDraft, context: MutationContext): unknown {
  if (name === "binding") return context.organization;
  return name === "scope" ? context.operation.scope : claims[name];
}

function nameOf(name: Claim, { target }: MutationContext): string | undefined {
  return name === "binding" ? target.bindingClaim : name;
}

function claimsOf(change: Change, draft: TokenDraft, context: MutationContext): Patch {
  if (change.of === "further claim") {
    return { [change.name]: valueFor(change.value, undefined, context) };
  }
  if (change.of !== "claim" && change.of !== "name") return {};
  const name = nameOf(change.name, context);
  if (name === undefined) return {};
  const own = ownOf(change.name, draft, context);
  if (change.of === "claim") return { [name]: valueFor(change.value, own, context) };
  const near = afterEdits(name, change.edits);
  return typeof near === "string" ? { [name]: undefined, [near]: draft.claims[name] ?? own } : {};
}

function headerOf(
  change: Change,
  { header, ...draft }: TokenDraft,
  context: MutationContext,
): Patch {
  if (change.of === "header") {
    return { [change.name]: valueFor(change.value, header[change.name], context) };
  }
  if (change.of !== "forgery") return {};
  return FORGERIES[change.how]?.header?.({ header, ...draft }, change.n) ?? {};
}

/** The mutation that makes all of these changes. */
export function mutationOf(name: string, changes: readonly Change[]): Mutation {
  const ofToken = changes.some((one) => ["claim", "further claim", "name"].includes(one.of));
  const ofHeader = changes.some((one) => one.of === "header" || one.of === "forgery");
  const merged =
    (parts: (change: Change, draft: TokenDraft, context: MutationContext) => Patch) =>
    (draft: TokenDraft, context: MutationContext): Patch =>
      Object.assign({}, ...changes.map((one) => parts(one, draft, context))) as Patch;
  const forgery = changes.find((one) => one.of === "forgery");
  const key = changes.find((one) => one.of === "key");
  const carrier = changes.find((one) => one.of === "carrier");
  const payload = changes.find((one) => one.of === "payload");
  const text = changes.find((one) => one.of === "text");
  const presented = changes.find((one) => one.of === "authorization");
  const token: TokenChange = {
    ...(ofToken && { claims: merged(claimsOf) }),
    ...(ofHeader && { header: merged(headerOf) }),
    ...(key && { key: ({ testIssuer }: Facts) => chosen(testIssuer.keys, key.n) }),
    ...(forgery && {
      sign: (input: string, draft: TokenDraft) =>
        FORGERIES[forgery.how]?.sign(input, draft, forgery.n) ?? new Uint8Array(),
    }),
    ...(payload && {
      payload: (claims: JsonObject) => PAYLOADS[payload.how]?.(JSON.stringify(claims)) ?? "",
    }),
    ...(text && {
      text: ({ header, payload: body, signature }) =>
        TEXTS[text.how]?.([header, body, signature]) ?? "",
    }),
  };
  const ofRequest = changes.filter((one) =>
    ["path", "place", "method", "query", "field"].includes(one.of),
  );
  return {
    name,
    what: changes.map(inWords).join("; ") || "nothing differs",
    ...(Object.keys(token).length > 0 && { token }),
    ...(presented && {
      authorization: (credentials: string) =>
        (PRESENTATIONS[presented.how] ?? MORE_PRESENTATIONS[presented.how])?.(credentials) ?? [],
    }),
    ...(carrier && { authorization: () => [] }),
    ...((ofRequest.length > 0 || carrier) && {
      request: (request: HttpRequest, context: MutationContext, credentials: string) => {
        const changed = ofRequest.reduce(
          (spec, change) => withChange(spec, change, context),
          request,
        );
        return carrier ? (CARRIERS[carrier.how]?.(changed, credentials) ?? changed) : changed;
      },
    }),
  };
}

function withChange(spec: HttpRequest, change: Change, context: MutationContext): HttpRequest {
  const [path = "", query] = spec.path.split("?", 2);
  const rest = query === undefined ? "" : `?${query}`;
  switch (change.of) {
    case "path":
      return {
        ...spec,
        path: ((PATHS[change.how] ?? MORE_PATHS[change.how])?.(path) ?? path) + rest,
      };
    case "place": {
      const own = context.organization ?? "";
      const instead = startFor(change.organization, undefined, context) ?? own;
      return {
        ...spec,
        path: spec.path.replace(encodeURIComponent(own), encodeURIComponent(instead)),
      };
    }
    case "method":
      return spec.method === "GET" ? { ...spec, method: change.method } : spec;
    case "query": {
      const value = valueFor(change.value, undefined, context);
      const parameter = `${change.name}=${encodeURIComponent(textOf(value) ?? "")}`;
      return { ...spec, path: `${path}${rest === "" ? "?" : `${rest}&`}${parameter}` };
    }
    case "field": {
      const value = valueFor(change.value, undefined, context);
      const isPlain =
        typeof value === "string" && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value);
      return isPlain ? withHeaders(spec, context.target, { [change.name]: value }) : spec;
    }
    default:
      return spec;
  }
}

const STARTS: Readonly<Record<Start, string>> = {
  own: "the right value",
  issuer: "the issuer",
  audience: "the audience",
  subject: "the subject",
  organization: "the organization",
  "other organization": "another organization",
  "denied organization": "the denied organization",
  "denied subject": "the denied subject",
  scope: "the right scope",
  "other scopes": "the other scopes",
  elsewhere: "the audience on another host",
};

const LONGEST = 60;

function valueInWords(value: Value): string {
  if ("absent" in value) return "is absent";
  if ("value" in value) {
    const text = JSON.stringify(value.value);
    return `is ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`;
  }
  const start =
    value.near === "time"
      ? timeInWords(value.seconds)
      : value.near === "number"
        ? String(value.start)
        : STARTS[value.near];
  const beside = "others" in value && value.others !== undefined ? ["beside all other scopes"] : [];
  return `is ${[start, ...value.edits.map(({ how }) => ALL_EDITS[how]?.what ?? how), ...beside].join(", ")}`;
}

function timeInWords(seconds: number): string {
  return seconds < 0 ? `${-seconds} seconds ago` : `in ${seconds} seconds`;
}

/** A change as a clause. */
export function inWords(change: Change): string {
  switch (change.of) {
    case "claim":
      return `${change.name === "binding" ? "the binding claim" : `\`${change.name}\``} ${valueInWords(change.value)}`;
    case "further claim":
      return `the claim \`${change.name}\` ${valueInWords(change.value)}`;
    case "name": {
      const what = change.edits.map(({ how }) => ALL_EDITS[how]?.what ?? how).join(", ");
      return `the name of ${change.name === "binding" ? "the binding claim" : `\`${change.name}\``} is the right one ${what}`;
    }
    case "header":
      return `\`${change.name}\` in the header ${valueInWords(change.value)}`;
    case "forgery":
      return `the signature is ${change.how === "empty" ? "empty" : `forged: ${change.how}`}`;
    case "payload":
      return `the form of the payload: ${change.how}`;
    case "text":
      return `the text of the token: ${change.how}`;
    case "authorization":
      return `the form of the Authorization header: ${change.how}`;
    case "key":
      return "the token is signed with another key of the issuer";
    case "carrier":
      return `the token is not in the Authorization header, but in ${change.how}`;
    case "path":
      return `the form of the path: ${change.how}`;
    case "place":
      return `the path names ${STARTS[change.organization]}`;
    case "method":
      return `the method is ${change.method}`;
    case "query":
      return `the parameter \`${change.name}\` ${valueInWords(change.value)}`;
    case "field":
      return `the header field \`${change.name}\` ${valueInWords(change.value)}`;
  }
}

/** Whether a receiver may take the request for one about another organization. */
function nearOther(change: Extract<Change, { value: Value }>): boolean {
  const { value, of } = change;
  return of !== "claim" && "near" in value && /other|denied/.test(value.near);
}

/** Whether a change can be made on an operation. */
export function applies(change: Change, operation: keyof typeof OPERATIONS): boolean {
  const { organization, writes } = OPERATIONS[operation];
  // Writes go to the primary organization alone.
  if (writes && "value" in change && nearOther(change)) return false;
  if (change.of === "place") return organization && !writes;
  if (change.of === "method") return !writes;
  return true;
}
