import { checkNumber } from "../../src/contract/checks.ts";
import { OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import type { Reply } from "../../src/http/exchange.ts";
import { optional } from "../../src/probe/case-end.ts";
import type { RejectedAnswer } from "../../src/probe/errors/rejected-log.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { countFact, listFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../src/probe/probe.ts";
import { textsIn } from "../../src/probe/read/texts.ts";
import { reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { viewed } from "../../src/probe/write/unique-marker.ts";
import { readFeed } from "../shared/feed.ts";
import { haveErrors } from "../shared/recorded-errors.ts";

/** An error may well name the organization. What has two of its values shows it. */
const FEWEST = 2;
/** The most values that a finding names. */
const MOST_NAMED = 3;

/** What good tokens read of an organization. */
interface Shown {
  readonly texts: ReadonlySet<string>;
  readonly exchanges: readonly string[];
}

/** A rejection with values of the organization. */
interface Disclosure {
  readonly answer: RejectedAnswer;
  readonly values: readonly string[];
  readonly controls: readonly string[];
}

export const rule: Rule = defineRule({
  id: "receiver.no-disclosure",
  title: "A rejection does not carry what it refuses to show",
  level: "MUST",
  verifies: ["checks.any-failure-rejects", "checks.order"],
  phase: "record",
  cases: () =>
    OPERATION_IDS.map((operation) => ({
      id: `rejected@${operation}`,
      title: "values of the organization, looked for in the answers that reject a request",
      operation,
      judge: (probe) => judge(probe, operation),
    })),
});

async function judge(probe: Probe, operation: OperationId): Promise<Finding> {
  await haveErrors(probe, operation);
  const { rejected } = probe.seen;
  const count = rejected.count(operation);
  if (count === 0) {
    return { kind: "inconclusive", reason: phrase`no request of ${operation} was rejected` };
  }
  const [first, ...more] = await disclosuresOf(
    probe,
    rejected.answers.filter((answer) => answer.operation === operation),
  );
  if (!first) {
    return {
      kind: "pass",
      reason: phrase`${countFact(count, "rejection")} without values of an organization`,
    };
  }
  const { answer, values, controls } = first;
  const named = values.slice(0, MOST_NAMED).map((value) => valueFact(value));
  const others = more.length > 0 ? phrase`, as do ${more.length} more` : phrase``;
  return {
    kind: "fail",
    expected: phrase`a rejection shows nothing of the organization`,
    actual: phrase`${{ kind: "answer", status: answer.status }} to a request that fails check ${checkNumber(answer.check)} has ${countFact(values.length, "value")} of it: ${listFact(named)}${others}`,
    evidence: { probes: [answer.exchange], controls },
    ...(answer.mayView && { atMost: "SHOULD" }),
    // No other organization shows these values.
    certainty: "proof",
  };
}

/** The rejections that carry values of the organization in their path, those first that a token got that may not view it. */
async function disclosuresOf(
  probe: Probe,
  answers: readonly RejectedAnswer[],
): Promise<Disclosure[]> {
  const found: Disclosure[] = [];
  const { primary, other } = await probe.organizations();
  const usual = new Set(
    probe.seen.rejected.answers
      .filter(({ organization = primary }) => organization === primary)
      .flatMap(({ texts }) => texts),
  );
  for (const { organization = primary, ...answer } of answers) {
    if (organization === undefined) continue;
    // Only another organization has to be asked for, and not for what errors say anyway.
    const own = answer.texts.filter((text) => organization === primary || !usual.has(text));
    if (own.length < FEWEST) continue;
    const shown = await probe.use(
      organization === primary ? shownByControls : shownOf(organization),
    );
    const known = own.filter(
      (text) => shown.texts.has(text) || isWritten(probe, organization, text),
    );
    const another = organization === primary ? other : primary;
    if (known.length < FEWEST || another === undefined) continue;
    const elsewhere = await probe.use(shownOf(another));
    const values = known.filter((text) => !elsewhere.texts.has(text));
    // Where nothing of another organization can be seen, nothing is known to be this one's alone.
    if (values.length < FEWEST || elsewhere.exchanges.length === 0) continue;
    const controls = [...shown.exchanges, ...elsewhere.exchanges];
    found.push({ answer: { ...answer, organization }, values, controls });
  }
  return found.toSorted((a, b) => Number(a.answer.mayView) - Number(b.answer.mayView));
}

const READS = ["viewOrganization", "readChangesFeed"] as const;

/** The same of the primary organization, without further requests. */
const shownByControls: Fixture<Shown> = {
  name: "texts of controls",
  scope: "rule",
  async setup(probe) {
    const replies: Reply[] = [];
    for (const operation of READS) {
      if (!probe.target.operations[operation]) continue;
      const found = await probe.tryControl(operation, { bracketed: false });
      if ("control" in found) replies.push(found.control.reply);
    }
    return textsOf(replies);
  },
};

/** The texts of the view of an organization, and of its feed. */
function shownOf(organization: string): Fixture<Shown> {
  return {
    name: `texts of ${organization}`,
    scope: "rule",
    async setup(probe) {
      const { viewOrganization, readChangesFeed } = probe.target.operations;
      const view = viewOrganization && (await optional(viewed(probe, organization)));
      const feed = readChangesFeed && (await optional(readFeed(probe, { organization })));
      return textsOf([...(view ? [view] : []), ...(feed ? feed.pages : [])]);
    },
  };
}

function textsOf(replies: readonly Reply[]): Shown {
  const accepted = replies.filter((reply) => reception(reply) === "accepted");
  return {
    texts: new Set(accepted.flatMap((reply) => [...textsIn(reply.json())])),
    exchanges: accepted.map(({ exchange }) => exchange.id),
  };
}

/** Whether a text has a value that the run wrote there, which the organization may show no more. */
function isWritten({ seen }: Probe, organization: string, text: string): boolean {
  return seen.uniqueValues.some(
    (one) =>
      one.received === "accepted" && one.organization === organization && text.includes(one.value),
  );
}
