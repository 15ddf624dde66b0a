import { checkNumber } from "../../src/contract/checks.ts";
import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import { isSameUuid } from "../../src/contract/uuid.ts";
import type { Reply } from "../../src/http/exchange.ts";
import { groupBy } from "../../src/lib/group-by.ts";
import { isContractRoute } from "../../src/probe/contract-route.ts";
import type { RejectedAnswer } from "../../src/probe/errors/rejected-log.ts";
import { Finding, optional } from "../../src/probe/finding.ts";
import { countFact, listFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../src/probe/probe.ts";
import { textsIn, textsWithin } from "../../src/probe/read/texts.ts";
import { reception } from "../../src/probe/reception.ts";
import { buildRequest } from "../../src/probe/request.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { toldFact } from "../../src/probe/told-exchange.ts";
import { viewed } from "../../src/probe/write/unique-marker.ts";
import { readFeed } from "../shared/feed.ts";
import { haveErrors } from "../shared/recorded-errors.ts";

/** An error may well name the organization. What has two of its values shows it, and one that the run wrote is no name. */
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
  /** Whether the token may view the organization, or `message` alone has the values, or there is only one. */
  readonly isMinor: boolean;
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
    return (
      (await unlessOnRoute(probe, operation)) ??
      Finding.inconclusive(phrase`no request of ${operation} was rejected`)
    );
  }
  const [first, ...more] = await disclosuresOf(
    probe,
    rejected.answers.filter((answer) => answer.operation === operation),
  );
  if (!first) {
    const reason = phrase`${countFact(count, "rejection")} without values of an organization`;
    return Finding.pass(undefined, reason);
  }
  const { answer, values, controls, isMinor } = first;
  const named = values.slice(0, MOST_NAMED).map((value) => valueFact(value));
  const others =
    more.length > 0
      ? phrase`, as ${more.length === 1 ? "does" : "do"} ${more.length} more`
      : phrase``;
  return {
    kind: "fail",
    expected: phrase`a rejection shows nothing of the organization`,
    actual: phrase`${{ kind: "answer", status: answer.status }} to a request that fails check ${checkNumber(answer.check)} has ${countFact(values.length, "value")} of it: ${listFact(named)}${others}, to ${toldFact(answer)}`,
    evidence: { probes: [answer.exchange], controls },
    ...(isMinor && { atMost: "SHOULD" }),
    // No other organization shows these values.
    certainty: "proof",
  };
}

/**
 * Why no rejection of an operation is certainly the receiver's: the id in its path has characters that servers in front refuse.
 */
async function unlessOnRoute(probe: Probe, id: OperationId): Promise<Finding | undefined> {
  const found = await probe.tryControl(id, { bracketed: false });
  if (!("control" in found)) return undefined;
  const operation = OPERATIONS[id];
  const { spec } = buildRequest(probe.target, operation, found.control.place);
  if (isContractRoute(probe.target, operation, spec)) return undefined;
  return Finding.notApplicable(
    phrase`the id in the path has characters at which a server in front may refuse a request, so no rejection is certainly the receiver's`,
  );
}

/** The rejections that carry values of the organization in their path, those first that a token got that may not view it. */
async function disclosuresOf(
  probe: Probe,
  answers: readonly RejectedAnswer[],
): Promise<Disclosure[]> {
  const found: Disclosure[] = [];
  const { primary, other } = await probe.organizations();
  const written = groupBy(
    probe.seen.uniqueValues.filter(({ received }) => received === "accepted"),
    (one) => one.organization,
  );
  const usual = new Set(
    probe.seen.rejected.answers
      .filter(({ organization = primary }) => organization === primary)
      .flatMap(({ texts, longer }) => [longer, ...texts]),
  );
  for (const { organization = primary, ...answer } of answers) {
    if (organization === undefined) continue;
    const writtenThere = (written.get(organization) ?? []).map(({ value }) => value);
    /** The values that the run wrote there and that these texts have, which the organization may show no more. */
    const writtenIn = (texts: readonly string[]): readonly string[] => {
      const all = texts.join("\n");
      return writtenThere.filter((value) => all.includes(value));
    };
    const isPrimary = organization === primary;
    // Only another organization has to be asked for, and not for what errors say anyway.
    const texts = answer.texts.filter((text) => isPrimary || !usual.has(text));
    const longer = isPrimary || !usual.has(answer.longer) ? answer.longer : "";
    if (!isPrimary && texts.length < FEWEST && longer === "") continue;
    const shown = await probe.use(isPrimary ? shownByControls : shownOf(organization));
    const withWritten = (values: readonly string[], within: readonly string[]): string[] => [
      ...values,
      ...writtenIn(within).filter((one) => !values.some((text) => text.includes(one))),
    ];
    const beside = withWritten(
      [...texts.filter((text) => shown.texts.has(text)), ...textsWithin(longer, shown.texts)],
      [longer, ...texts],
    );
    const inMessage = isPrimary
      ? withWritten(textsWithin(answer.message, shown.texts), [answer.message])
      : [];
    const another = isPrimary ? other : primary;
    const isShown = (values: readonly string[]): boolean =>
      new Set(values).size >= FEWEST || writtenIn(values).length > 0;
    if (another === undefined || !isShown([...beside, ...inMessage])) continue;
    const elsewhere = await probe.use(shownOf(another));
    const ofItAlone = (all: readonly string[]): string[] => [
      ...new Set(
        all.filter((text) => !elsewhere.texts.has(text) && !isSameUuid(text, organization)),
      ),
    ];
    const known = ofItAlone(beside);
    const values = ofItAlone([...beside, ...inMessage]);
    // Where nothing of another organization can be seen, nothing is known to be this one's alone.
    if (!isShown(values) || elsewhere.exchanges.length === 0) continue;
    const controls = [...shown.exchanges, ...elsewhere.exchanges];
    const isMinor = answer.mayView || known.length < FEWEST;
    found.push({ answer: { ...answer, organization }, values, controls, isMinor });
  }
  return found.toSorted((a, b) => Number(a.isMinor) - Number(b.isMinor));
}

const READS = ["viewOrganization", "readChangesFeed"] as const;

/** What the primary organization shows, without further requests. */
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
