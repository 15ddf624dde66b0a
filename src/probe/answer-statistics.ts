import { OPERATION_IDS } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import { isObject } from "../lib/json.ts";
import { eitherSchema, type InferredSchema, inferSchema } from "./openapi/infer-schema.ts";
import type { Observe, OutgoingRequest } from "./outgoing-request.ts";
import { phrase, type Phrase, tallyFact } from "./phrase.ts";
import { reception } from "./reception.ts";

/** What was seen of something that the contract leaves open. */
export interface Statistic {
  readonly id: string;
  readonly title: string;
  readonly value: Phrase;
}

interface Feature {
  readonly id: string;
  readonly title: string;
  /** The value that an answer shows; `undefined` where it shows none. */
  readonly of: (reply: Reply, sending: OutgoingRequest) => string | undefined;
  /** The most characters of a value that are shown; default 80. */
  readonly longest?: number;
  /** Merges two values where answers legitimately vary; `undefined` where it cannot. */
  readonly together?: (one: string, other: string) => string | undefined;
}

const MOST_VALUES = 6;
const LONGEST_VALUE = 80;
const LONGEST_SHAPE = 2000;

/** The ids of features whose values are JSON Schemas begin with it. */
export const OF_SHAPES = "shape.";

/** Changed requests for which a deployment chooses the status. */
const ASKED_FOR: Readonly<Record<string, string>> = {
  "unknown-organization": "an organization that does not exist",
  "malformed-organization": "an organization whose id is not a UUID",
  "unknown-change": "a change that does not exist",
  "malformed-change": "a change whose id has another form",
  "invalid-body": "a body that the profile declares invalid",
  "not-json": "a body that is not JSON",
  "unknown-path": "a path that is not a route",
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
    id: `${OF_SHAPES}${id}`,
    title: `Shape of ${id}'s answer to a good request, as JSON Schema`,
    of: (reply, { purpose, operation }) =>
      purpose === "control" && operation === id && reception(reply) === "accepted"
        ? shape(reply)
        : undefined,
    longest: LONGEST_SHAPE,
    together: togetherShape,
  })),
  ...Object.entries(ASKED_FOR).map(([name, what]): Feature => ({
    id: `status.${name}`,
    title: `Status for ${what}`,
    of: ({ status }, { tokenNote }) =>
      tokenNote?.mutation === name && status > 0 ? String(status) : undefined,
  })),
  {
    id: "errors.challenge",
    title: "Challenge in `WWW-Authenticate` of a 401",
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
    title: "Media type of an answer that is not an error",
    of: (reply) =>
      reception(reply) === "accepted" && reply.hasBody
        ? mediaType(reply.headers["content-type"])
        : undefined,
  },
  {
    id: "header.cache-control",
    title: "`Cache-Control` of an answer to a good read",
    of: (reply, { purpose, spec }) =>
      purpose === "control" && spec.method === "GET" && reception(reply) === "accepted"
        ? (reply.headers["cache-control"] ?? "none")
        : undefined,
  },
  {
    id: "header.rate-limit",
    title: "Headers about rate limits",
    of: ({ headers }) => names(headers, /^(x-)?rate-?limit|^retry-after$/),
  },
  {
    id: "header.version",
    title: "Headers about versions",
    of: ({ headers }) => names(headers, /(^|-)version$|^(deprecation|sunset)$/),
  },
  {
    id: "header.server",
    title: "Servers and proxies that the headers name",
    of: ({ headers }) =>
      [headers["server"], headers["x-powered-by"], headers["via"]].filter(Boolean).join("; ") ||
      undefined,
  },
];

/**
 * Counts what deployments do where the contract is silent, over answers that the run gets anyway.
 * @returns lists the features that were seen, the most frequent value first
 */
export function createAnswerStatistics(observe: Observe): () => Statistic[] {
  const seen = new Map<Feature, Map<string, number>>();
  observe(({ reply, sending }) => {
    for (const feature of FEATURES) {
      const value = feature.of(reply, sending);
      if (value === undefined) continue;
      const counts = seen.get(feature) ?? new Map<string, number>();
      count(counts, value, feature);
      seen.set(feature, counts);
    }
  });
  return () =>
    FEATURES.flatMap((feature) => {
      const counts = seen.get(feature);
      if (!counts) return [];
      const { id, title, longest } = feature;
      const told = [...counts].map(
        ([value, times]) => [value.slice(0, longest ?? LONGEST_VALUE), times] as const,
      );
      return [{ id, title, value: phrase`${tallyFact(new Map(told), MOST_VALUES)}` }];
    });
}

function count(counts: Map<string, number>, value: string, { together, longest }: Feature): void {
  for (const [before, times] of together ? counts : []) {
    const both = together?.(before, value);
    if (both === undefined) continue;
    counts.delete(before);
    counts.set(both, times + 1);
    return;
  }
  const kept = together ? value : value.slice(0, longest ?? LONGEST_VALUE);
  counts.set(kept, (counts.get(kept) ?? 0) + 1);
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

/** Merges the schemas of two JSON answers. */
function togetherShape(one: string, other: string): string | undefined {
  if (one === other) return one;
  if (!one.startsWith("{") || !other.startsWith("{")) return undefined;
  const [first, second] = [one, other].map((text) => JSON.parse(text) as InferredSchema);
  return first && second && JSON.stringify(eitherSchema(first, second));
}

function names(headers: Reply["headers"], pattern: RegExp): string | undefined {
  return (
    Object.keys(headers)
      .filter((name) => pattern.test(name))
      .join(", ") || undefined
  );
}
