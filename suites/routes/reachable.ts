import { OPERATIONS, OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import type { Reply } from "../../src/http/exchange.ts";
import { NOT_ABOUT_THE_REQUEST } from "../../src/http/statuses.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { isSetUpMatter } from "../../src/probe/controls/remedy.ts";
import { Finding } from "../../src/probe/finding.ts";
import { type Phrase, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { describeReply, reception, SEE_OTHER } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { endedByNone } from "./trouble/ended.ts";
import { refusedInTurn } from "./trouble/in-turn.ts";

export const rule: Rule = defineRule({
  id: "routes.reachable",
  title: "Each offered operation accepts a good token",
  level: "MUST",
  verifies: [
    "endpoints.relative",
    "service.relative-routes",
    "service.list-and-view",
    "service.edit",
    "service.submit",
    "service.feed",
    "organization.id-in-paths",
    "endpoints.list-organizations",
    "endpoints.view-organization",
    "endpoints.edit-organization",
    "endpoints.submit-change",
    "endpoints.read-changes-feed",
    "endpoints.read-change",
    "endpoints.authorization-header",
    "authentication.bearer-header",
    "rfc6750.header",
    "rfc9110.status-classes",
  ],
  cases: () => [
    ...OPERATION_IDS.map((operation): RuleCase => ({
      id: operation,
      operation,
      grounds: { source: "contract, Endpoints; RFC 6750 §2.1" },
      judge: (probe) => judge(probe, operation),
    })),
    {
      id: "in-turn",
      title:
        "good requests one after another, where a good token was refused though nothing was wrong",
      level: "SHOULD",
      phase: "trouble",
      control: { bracket: "before" },
      sends: 0,
      grounds: {
        why: "whether a token is good follows from the token, and not from how many came before it",
        source: "contract, Receiver checks",
      },
      judge: refusedInTurn,
    },
    {
      id: "ended",
      title: "requests that lost their connections together with others, and again alone",
      level: "SHOULD",
      phase: "trouble",
      control: { bracket: "before" },
      sends: 0,
      grounds: {
        why: "anybody can send such a request, and those of everybody else are lost with it",
        source: "CWE-248",
      },
      judge: (probe) => Promise.resolve(endedByNone(probe)),
    },
  ],
});

async function judge(probe: Probe, operation: OperationId): Promise<Finding> {
  const found = await probe.tryControl(operation, { fresh: probe.confirming });
  if ("control" in found) {
    const { exchange, reply } = found.control;
    const reason = reply.status === SEE_OTHER && led(reply);
    return { kind: "pass", ...(reason && { reason }), evidence: { probes: [exchange] } };
  }
  const { reply, finding } = found.refusal;
  if (!reply || reply.status < 300 || NOT_ABOUT_THE_REQUEST.has(reply.status)) return finding;
  if (isSetUpMatter(reply.status)) return finding;
  if (
    reply.status === 404 &&
    operation === "readChange" &&
    probe.target.operations.readChange?.changeId === undefined
  ) {
    // The rule `resources.feed` judges whether the feed's ids can be read.
    return finding;
  }
  // If every route below the organization answers 404, the organization is missing.
  const peers = OPERATION_IDS.filter(
    (id) => id !== operation && (reply.status !== 404 || OPERATIONS[id].organization),
  );
  if (!(await anyAccepted(probe, peers))) return finding;
  if (OPERATIONS[operation].writes && (await leadsToAnswer(probe, reply, peers))) {
    return Finding.observed(led(reply), { probes: [reply.exchange.id] });
  }
  return {
    kind: "fail",
    expected: phrase`a good token is accepted with a 2xx, as on other operations`,
    actual: describeReply(reply),
    evidence: { probes: [reply.exchange.id] },
  };
}

function led(reply: Reply): Phrase {
  return phrase`${describeReply(reply)}, which leads to ${valueFact(reply.headers["location"] ?? "")}`;
}

/**
 * Whether a 303 leads to an answer to the write: to JSON, read with a good token. Another origin gets no token, so only a
 * page for people to sign in at is known to be none.
 */
async function leadsToAnswer(
  probe: Probe,
  { status, headers, exchange }: Reply,
  reads: readonly OperationId[],
): Promise<boolean> {
  const location = headers["location"];
  const from = exchange.request.url;
  if (status !== SEE_OTHER || location === undefined || !URL.canParse(location, from)) return false;
  const to = new URL(location, from);
  const isElsewhere = to.origin !== new URL(from).origin;
  if (SIGN_IN.test(isElsewhere ? `${to.host}${to.pathname}` : to.pathname)) return false;
  if (isElsewhere) return true;
  const path = `${to.pathname}${to.search}`;
  const following: Mutation = {
    name: "followed",
    what: "the path, to which a write was redirected",
    request: (spec) => ({ ...spec, path }),
  };
  for (const operation of reads.filter((id) => !OPERATIONS[id].writes)) {
    const result = await probe.tryAttempt(following, { operation });
    if (!("attempt" in result)) continue;
    const { reply } = result.attempt;
    return (
      reception(reply) === "unclear" ||
      (reception(reply) === "accepted" && reply.json() !== undefined)
    );
  }
  return false;
}

/** Pages at which people sign in, by the words in their URLs. */
const SIGN_IN = /\b(?:log-?in|sign-?in|log-?on|auth|oauth2?|authorize|sso|saml2?)\b/i;

async function anyAccepted(probe: Probe, operations: readonly OperationId[]): Promise<boolean> {
  for (const id of operations) {
    if (!probe.target.operations[id]) continue;
    if ("control" in (await probe.tryControl(id))) return true;
  }
  return false;
}
