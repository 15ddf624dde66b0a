import type { Level } from "../../../src/contract/levels.ts";
import { type OperationId, OPERATIONS } from "../../../src/contract/operations.ts";
import type { Mutation } from "../../../src/mutations/mutation.ts";
import { judgeErrorBody, owesErrorBody } from "../../../src/probe/errors/error-record.ts";
import { Finding, together } from "../../../src/probe/finding.ts";
import { countFact, phrase } from "../../../src/probe/phrase.ts";
import type { Probe, Provoked } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { haveErrors, type Provocation, provocations } from "../../shared/recorded-errors.ts";

/** Error answers that no other rule requests. The rule that requests one also judges it. */

const EXPECTED = phrase`a 4xx with an Error body`;

/**
 * Judges that an operation's errors have an Error body for a given `Accept` field. If errors already
 * lack it with the suite's own `Accept`, the finding is inconclusive, because another rule reports
 * that.
 */
export async function judgeAsked(
  probe: Probe,
  operation: OperationId,
  asking: Asking,
): Promise<Finding> {
  const { request, operations } = probe.target;
  if ([request.headers, operations[operation]?.headers ?? {}].some((one) => "accept" in one)) {
    return Finding.notApplicable(phrase`the profile sets Accept itself`);
  }
  await haveErrors(probe, operation);
  const usual = probe.seen.errors.filter((answer) => answer.operation === operation);
  const lacking = usual.filter(({ problems, cut }) => problems.length > 0 && !cut);
  if (lacking.length > 0) {
    const reason = phrase`with the usual Accept, ${lacking.length} of ${countFact(usual.length, "error")} of ${operation} came without an Error body`;
    return Finding.inconclusive(reason);
  }
  const sendings = refusals(probe, operation).map(([mutation, options]) =>
    probe.provoke(asked(mutation, asking), options),
  );
  const sendingsDone = await together(sendings);
  const answered = sendingsDone.filter((sent) => "reply" in sent);
  const seen = answered.filter(({ reply }) => ["rejected", "broken"].includes(reception(reply)));
  const wrong = seen.filter(({ reply }) => problemOf(reply) !== undefined);
  const [first] = wrong;
  if (first) {
    const { reply, evidence } = first;
    const problem = problemOf(reply);
    const times = seen.length > 1 ? phrase`; ${wrong.length} of ${seen.length} such answers` : "";
    return {
      kind: "fail",
      expected: EXPECTED,
      actual: phrase`${describeReply(reply)}: ${problem}${times}`,
      evidence,
    };
  }
  const [sent] = seen;
  if (sent) return Finding.pass(sent.evidence);
  const unsent = sendingsDone.find((one) => "lacking" in one);
  return (
    unsent?.lacking ??
    Finding.inconclusive(phrase`no error answer of ${operation} to judge was seen`)
  );
}

/** All provocations of a read. Of a write, the one without credentials and one more. */
function refusals(probe: Probe, operation: OperationId): readonly Provocation[] {
  const all = provocations(probe, operation);
  if (!OPERATIONS[operation].writes) return all;
  const [first, ...others] = all;
  // A write that the receiver is known to accept has no error, and uses up one of the run's writes.
  const last = others.findLast(([one]) => !probe.seen.wasAccepted(operation, one.name));
  return last ? [first, last] : [first];
}

/** Judges that a refusal has an Error body. Where `mayBeAccepted`, acceptance is observed. */
export async function judgeProvoked(
  probe: Probe,
  mutation: Mutation,
  mayBeAccepted: boolean,
): Promise<Finding> {
  const sent = await probe.provoke(mutation);
  if ("lacking" in sent) return sent.lacking;
  const { reply, evidence } = sent;
  const said = describeReply(reply);
  // Other rules judge redirects. This one judges errors.
  if (["unclear", "redirected"].includes(reception(reply)))
    return Finding.inconclusive(said, evidence);
  if (reception(reply) === "accepted" && mayBeAccepted) return Finding.observed(said, evidence);
  const problem = problemOf(reply);
  if (problem === undefined) return Finding.pass(evidence, said);
  return { kind: "fail", expected: EXPECTED, actual: phrase`${said}: ${problem}`, evidence };
}

/** Observes the answer of the application, or of a server in front of it. */
export async function observeProvoked(probe: Probe, mutation: Mutation): Promise<Finding> {
  const sent = await probe.provoke(mutation);
  if ("lacking" in sent) return sent.lacking;
  const { reply, evidence } = sent;
  const isError = reply.status >= 400 && judgeErrorBody(reply).problems.length === 0;
  const body = reply.status < 400 ? "" : isError ? ", an Error body" : ", no Error body";
  return Finding.observed(phrase`${describeReply(reply)}${body}`, evidence);
}

function problemOf(reply: Provoked["reply"]): string | undefined {
  if (reply.status < 400) return "not refused";
  if (!owesErrorBody(reply.status)) return undefined;
  const { problems, cut } = judgeErrorBody(reply);
  return cut || problems.length === 0 ? undefined : problems.join("; ");
}

/** Requests that ask for errors in different ways, or that a front server may answer. */

/** A client's `Accept` header. */
export interface Asking {
  readonly name: string;
  readonly what: string;
  /** Absent: the client sends no `Accept`. */
  readonly accept?: string;
  readonly level: Level;
}

/** The `Accept` header that browsers send for a page. */
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

export const ASKING: readonly Asking[] = [
  { name: "without-accept", what: "there is no Accept header", level: "MUST" },
  {
    name: "accept-anything",
    what: "Accept is */*, as curl sends it",
    accept: "*/*",
    level: "MUST",
  },
  { name: "accept-page", what: "Accept is a browser's", accept: BROWSER, level: "SHOULD" },
];

/**
 * A mutation that also sends another `Accept` header. Its name gets the suffix `-<name>`; the answer is judged only by
 * the rule that asked.
 */
function asked(mutation: Mutation, { name, what, accept }: Asking): Mutation {
  return {
    ...mutation,
    name: `${mutation.name}-${name}`,
    what: `${mutation.what}; ${what}`,
    request: (spec, ...rest) => ({
      ...(mutation.request?.(spec, ...rest) ?? spec),
      standing: { accept },
    }),
  };
}

function path(name: string, level: Level, what: string, id: string, source: string): Mutation {
  return {
    name,
    level,
    what,
    source,
    request: (spec, { organization = "" }) => ({
      ...spec,
      path: spec.path.replace(organization, id),
    }),
  };
}

const LONG_ID = 1000;
/** More than the limits of nginx, Apache, Node and Tomcat for a header. */
const LONG_HEADER = 20_000;
/** More than the limit of 1 MiB of nginx and Fastify. */
const LARGE_BODY = 2 * 1024 * 1024;

/** Changes to a read, which a server may refuse before any application sees it. The usual front servers let the first two pass, and some the others. */
export const frontReads: readonly Mutation[] = [
  path(
    "path-undecodable",
    "SHOULD",
    "the organization in the path is %FF, which is not UTF-8",
    "%FF",
    "contract, Errors; RFC 3986 §2.5",
  ),
  path(
    "id-long",
    "SHOULD",
    `the organization in the path has ${LONG_ID} characters`,
    "a".repeat(LONG_ID),
    "contract, Errors; RFC 9110 §4.1",
  ),
  path(
    "path-no-escape",
    "OBSERVE",
    "the organization in the path is %zz, which is not a valid escape",
    "%zz",
    "RFC 3986 §2.1",
  ),
  path("path-nul", "OBSERVE", "the organization in the path is %00", "%00", "RFC 3986 §7.3"),
  {
    name: "header-long",
    level: "OBSERVE",
    what: `a header field has ${LONG_HEADER} characters`,
    request: (spec) => ({
      ...spec,
      headers: [...spec.headers, ["x-conformance", "a".repeat(LONG_HEADER)]],
    }),
  },
];

/** A change to a write. */
export const frontWrite: Mutation = {
  name: "body-of-megabytes",
  level: "OBSERVE",
  what: "no Authorization header, and a body of 2 MiB that ends in the middle of a JSON object",
  authorization: () => [],
  request: (spec) => ({ ...spec, body: `{"conformance":"${"a".repeat(LARGE_BODY)}` }),
};
