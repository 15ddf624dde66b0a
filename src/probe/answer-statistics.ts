import { OPERATION_IDS } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import { isObject } from "../lib/json.ts";
import { inferSchema } from "./openapi/infer-schema.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import { phrase, type Phrase, tallyFact } from "./phrase.ts";
import { reception } from "./reception.ts";

/** Something that the contract leaves open, and what was seen of it. */
export interface Statistic {
  readonly id: string;
  readonly title: string;
  readonly value: Phrase;
}

/** Counts, over the answers that are seen anyway, what deployments do where the contract is silent. */
export interface AnswerStatistics {
  note(reply: Reply, sending: OutgoingRequest): void;
  /** What was seen at all, the most frequent first. */
  list(): Statistic[];
}

interface Feature {
  readonly id: string;
  readonly title: string;
  /** What an answer shows of it; `undefined` when it shows nothing. */
  readonly of: (reply: Reply, sending: OutgoingRequest) => string | undefined;
  /** Characters of a value that are told; default 80. */
  readonly longest?: number;
}

/** Of a feature that every answer shows differently, so many are told. */
const MOST_VALUES = 6;
const LONGEST_VALUE = 80;
const LONGEST_SHAPE = 2000;

/** Changes that deployments answer with statuses of their own choice. */
const ASKED_FOR: Readonly<Record<string, string>> = {
  "unknown-organization": "an organization that does not exist",
  "malformed-organization": "an organization whose id is no UUID",
  "unknown-change": "a change that does not exist",
  "malformed-change": "a change whose id has another form",
  "invalid-body": "a body that the profile declares invalid",
  "not-json": "a body that is not JSON",
  "unknown-path": "a path that is no route",
  put: "the method PUT",
  delete: "the method DELETE",
};

const FEATURES: readonly Feature[] = [
  {
    id: "status.success",
    title: "Status with which an operation accepts a good request",
    of: (reply, { purpose, operation }) =>
      purpose === "control" && reception(reply) === "accepted"
        ? `${operation} ${reply.status}`
        : undefined,
  },
  ...OPERATION_IDS.map((id): Feature => ({
    id: `shape.${id}`,
    title: `What ${id} answers a good request with, as JSON Schema`,
    of: (reply, { purpose, operation }) =>
      purpose === "control" && operation === id && reception(reply) === "accepted"
        ? shape(reply)
        : undefined,
    longest: LONGEST_SHAPE,
  })),
  ...Object.entries(ASKED_FOR).map(([name, what]): Feature => ({
    id: `status.${name}`,
    title: `Status for ${what}`,
    of: ({ status }, { tokenNote }) =>
      tokenNote?.mutation === name && status > 0 ? String(status) : undefined,
  })),
  {
    id: "errors.challenge",
    title: "Challenge in WWW-Authenticate of a 401",
    of({ status, headers }, { spec }) {
      if (status !== 401) return undefined;
      const asked = spec.headers.some(([name]) => name.toLowerCase() === "authorization");
      return `${challenge(headers["www-authenticate"])} ${asked ? "to" : "without"} credentials`;
    },
  },
  {
    id: "errors.elements",
    title: "Elements of `errors` in an Error body",
    of(reply) {
      if (reply.status < 400) return undefined;
      const body = reply.json();
      const elements = isObject(body) ? body["errors"] : undefined;
      if (!Array.isArray(elements)) return undefined;
      return elements.length === 0 ? "none" : [...new Set(elements.map(kind))].join(" and ");
    },
  },
  {
    id: "media-type.errors",
    title: "Media type of an error",
    of: ({ status, headers }) => (status < 400 ? undefined : mediaType(headers["content-type"])),
  },
  {
    id: "media-type.answers",
    title: "Media type of what is not an error",
    of: (reply) =>
      reception(reply) === "accepted" && reply.hasBody
        ? mediaType(reply.headers["content-type"])
        : undefined,
  },
  {
    id: "header.cache-control",
    title: "Cache-Control of an answer to a good read",
    of: (reply, { purpose, spec }) =>
      purpose === "control" && spec.method === "GET" && reception(reply) === "accepted"
        ? (reply.headers["cache-control"] ?? "none")
        : undefined,
  },
  {
    id: "header.rate-limit",
    title: "Headers that speak of rate limits",
    of: ({ headers }) => names(headers, /^(x-)?rate-?limit|^retry-after$/),
  },
  {
    id: "header.version",
    title: "Headers that speak of versions",
    of: ({ headers }) => names(headers, /(^|-)version$|^(deprecation|sunset)$/),
  },
  {
    id: "header.server",
    title: "Who says to have answered",
    of: ({ headers }) =>
      [headers["server"], headers["x-powered-by"], headers["via"]].filter(Boolean).join("; ") ||
      undefined,
  },
];

/** Counts from nothing. */
export function createAnswerStatistics(): AnswerStatistics {
  const seen = new Map<Feature, Map<string, number>>();
  return {
    note(reply, sending) {
      for (const feature of FEATURES) {
        const value = feature.of(reply, sending)?.slice(0, feature.longest ?? LONGEST_VALUE);
        if (value === undefined) continue;
        const counts = seen.get(feature) ?? new Map<string, number>();
        seen.set(feature, counts.set(value, (counts.get(value) ?? 0) + 1));
      }
    },
    list: () =>
      FEATURES.flatMap((feature) => {
        const counts = seen.get(feature);
        if (!counts) return [];
        const { id, title } = feature;
        return [{ id, title, value: phrase`${tallyFact(counts, MOST_VALUES)}` }];
      }),
  };
}

/** Scheme and error code of the first challenge, RFC 6750 §3. */
function challenge(header: string | undefined): string {
  if (header === undefined) return "none";
  const code = /\berror="?([\w.-]+)/i.exec(header)?.[1];
  return `${header.split(/[\s,]/, 1)[0]}${code === undefined ? "" : ` ${code}`}`;
}

function kind(element: unknown): string {
  if (element === null) return "null";
  if (Array.isArray(element)) return "arrays";
  if (!isObject(element)) return `${typeof element}s`;
  return `objects of ${Object.keys(element).toSorted().join(", ") || "nothing"}`;
}

function mediaType(contentType: string | undefined): string {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "none";
}

function shape(reply: Reply): string {
  if (!reply.hasBody) return "no body";
  const body = reply.json();
  return body === undefined ? "no JSON" : JSON.stringify(inferSchema(body));
}

function names(headers: Reply["headers"], pattern: RegExp): string | undefined {
  return (
    Object.keys(headers)
      .filter((name) => pattern.test(name))
      .join(", ") || undefined
  );
}
