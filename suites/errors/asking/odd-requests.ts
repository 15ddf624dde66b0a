import type { Level } from "../../../src/contract/levels.ts";
import { type OperationId, OPERATIONS } from "../../../src/contract/operations.ts";
import type { HttpRequest } from "../../../src/http/exchange.ts";
import { isObject, parseJson } from "../../../src/lib/json.ts";
import { addQuery } from "../../../src/lib/uri.ts";
import type { Mutation, MutationContext } from "../../../src/mutations/mutation.ts";
import { bodyText, newUnique } from "../../../src/probe/request.ts";
import type { Facts } from "../../../src/profile/facts.ts";

/**
 * Requests that a framework may refuse or fail at in its own way, past the code that writes Error bodies: odd parameters, ids
 * and bodies, header fields that provoke a status of their own, and texts that spoil a message that quotes them.
 */

/** One such request. A receiver may also accept it. */
export interface OddRequest {
  readonly operation: OperationId;
  readonly mutation: Mutation;
  /** Default: MUST. */
  readonly level: Level;
  /**
   * Whether its token is to be unbound where such a token is accepted, so that not the binding but the route answers.
   * Default: false.
   */
  readonly unbound?: boolean;
  /** Whether a server in front may well answer it, unless the answer quotes the request or is JSON. Default: false. */
  readonly mayBeFront?: boolean;
}

/** What marks a text that an answer may quote. */
export const QUOTED = "conformance";
const DEPTH = 500;
const DIGITS = 5000;
const LONG_AGO = "Thu, 01 Jan 1970 00:00:01 GMT";

type Change = NonNullable<Mutation["request"]>;

const PAGED: readonly OperationId[] = ["listOrganizations", "readChangesFeed"];

const queries: readonly (readonly [name: string, what: string, query: string])[] = [
  ["page-array", "the query is page[]=1", "page[]=1"],
  ["page-object", "the query is page[a]=1", "page[a]=1"],
  ["page-twice", "the query has page twice", "page=1&page=2"],
  ["query-not-utf8", "page in the query is %FF, which is not UTF-8", "page=%FF"],
];
const QUOTES_IN_QUERY = `page=${QUOTED}%22%5C%00%27`;

/** A write with a body that has to be refused, for all but this one thing. */
const refused: Change = (spec, { target, operation }) => {
  const { invalidBody } = target.operations[operation.id] ?? {};
  const body = invalidBody === undefined ? '{"conformance":' : bodyText(invalidBody, newUnique());
  return { ...spec, body };
};

/** A write whose refused body has a further member of an odd value; without the invalid body where that is no object. */
function withMember(member: string): Change {
  return (spec, { target, operation }) => {
    const text = bodyText(target.operations[operation.id]?.invalidBody ?? {}, newUnique());
    const invalid = parseJson(text);
    const members = isObject(invalid) ? JSON.stringify(invalid).slice(1, -1) : "";
    return { ...spec, body: `{${members}${members === "" ? "" : ","}${member}}` };
  };
}

const bodies: readonly (readonly [name: string, what: string, change: Change])[] = [
  [
    "body-not-utf8",
    "a string in the body has the byte FF, which is not UTF-8",
    (...args) => ({ ...withMember('"conformance":"\u00FF"')(...args), bodyEncoding: "latin1" }),
  ],
  [
    "body-deep",
    `an array in the body is nested ${DEPTH} levels deep`,
    withMember(`"conformance":${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`),
  ],
  [
    "body-surrogate",
    "a string in the body is half of a surrogate pair",
    withMember(String.raw`"conformance":"\ud800"`),
  ],
  [
    "body-long-number",
    `a number in the body has ${DIGITS} digits`,
    withMember(`"conformance":${"9".repeat(DIGITS)}`),
  ],
  [
    "quotes-in-body",
    "the name of a member in the body has quotes, a backslash and NUL",
    withMember(String.raw`"${QUOTED}\"\\'\u0000":7`),
  ],
];

function field(name: string, value: string, change: Change = (spec) => spec): Change {
  return (spec, ...rest) => {
    const { headers, ...others } = change(spec, ...rest);
    const kept = headers.filter(([one]) => one.toLowerCase() !== name);
    return { ...others, headers: [...kept, [name, value]] };
  };
}

const ofReads: readonly (readonly [name: string, what: string, change: Change, level?: Level])[] = [
  [
    "accept-other",
    "Accept names application/xml alone",
    (spec) => ({ ...spec, standing: { ...spec.standing, accept: "application/xml" } }),
  ],
  ["range", "Range is beyond the end", field("range", "bytes=99999999-")],
  ["if-match", "`If-Match` matches nothing", field("if-match", '"conformance"')],
  [
    "if-unmodified-since",
    "`If-Unmodified-Since` is long ago",
    field("if-unmodified-since", LONG_AGO),
  ],
  // HTTP servers answer the next two themselves.
  ["expect", "Expect is unknown", field("expect", "conformance"), "OBSERVE"],
  ["content-length", "`Content-Length` is no number", field("content-length", "x"), "OBSERVE"],
];

const ofWrites: readonly (readonly [name: string, what: string, change: Change])[] = [
  ["if-match", "`If-Match` matches nothing", field("if-match", '"conformance"', refused)],
  [
    "if-unmodified-since",
    "`If-Unmodified-Since` is long ago",
    field("if-unmodified-since", LONG_AGO, refused),
  ],
  ["if-none-match", "`If-None-Match` is *", field("if-none-match", "*", refused)],
  [
    "content-encoding",
    "`Content-Encoding` is unknown",
    field("content-encoding", "conformance", refused),
  ],
];

/** All of them that can be sent to a deployment. */
export function oddRequests({ operations }: Facts): readonly OddRequest[] {
  const offered = (...ids: readonly OperationId[]): OperationId[] =>
    ids.filter((id) => operations[id]);
  const paged = offered(...PAGED);
  const writes = offered("submitChange", "editOrganization");
  const unbound = true;
  const mayBeFront = true;
  return [
    ...paged.flatMap((operation) => [
      ...queries.map(([name, what, query]) => odd(operation, name, what, inQuery(query))),
      {
        ...odd(
          operation,
          "quotes-in-query",
          "page has quotes, a backslash and NUL",
          inQuery(QUOTES_IN_QUERY),
        ),
        mayBeFront,
      },
    ]),
    ...offered("viewOrganization", "readChange").flatMap((operation) => {
      const what = OPERATIONS[operation].change ? "change" : "organization";
      return [
        {
          ...odd(
            operation,
            "path-not-utf8",
            `the ${what} in the path is %FF, which is not UTF-8`,
            inPath("%FF"),
          ),
          unbound,
        },
        {
          ...odd(
            operation,
            "quotes-in-path",
            `the ${what} in the path has an encoded quote`,
            inPath(`${QUOTED}%22`),
          ),
          unbound,
          mayBeFront,
        },
      ];
    }),
    ...offered("viewOrganization", ...PAGED)
      .slice(0, 1)
      .flatMap((operation) =>
        ofReads.map(([name, what, change, level]) => ({
          ...odd(operation, name, what, change),
          ...(level && { level }),
        })),
      ),
    ...writes
      .slice(0, 1)
      .flatMap((operation) =>
        bodies.map(([name, what, change]) => odd(operation, name, what, change)),
      ),
    ...writes
      .slice(-1)
      .flatMap((operation) =>
        ofWrites.map(([name, what, change]) => odd(operation, name, what, change)),
      ),
  ];
}

function odd(operation: OperationId, name: string, what: string, change: Change): OddRequest {
  // With header fields of its own, though none, so that the cases about all errors of an operation leave it out.
  const request: Change = (spec, ...rest) => {
    const changed = change(spec, ...rest);
    return { ...changed, standing: changed.standing ?? {} };
  };
  return { operation, level: "MUST", mutation: { name, what, request } };
}

function inQuery(query: string): Change {
  return (spec) => ({ ...spec, path: addQuery(spec.path, query) });
}

/** An id in place of the last one in the path. */
function inPath(id: string): Change {
  return (spec: HttpRequest, { operation }: MutationContext) => ({
    ...spec,
    path: spec.path.replace(
      operation.change ? /(\/changes\/)[^/?]+/ : /(\/orgs\/)[^/?]+/,
      `$1${id}`,
    ),
  });
}
