import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Exchange, Reply } from "../../src/http/exchange.ts";
import { atPointer } from "../../src/lib/json-pointer.ts";
import { type Mutation, signedAnew } from "../../src/mutations/mutation.ts";
import { otherScopes } from "../../src/mutations/token/scope.ts";
import { together } from "../../src/probe/case-end.ts";
import { ORGANIZATION_OPERATIONS } from "../../src/probe/cases.ts";
import type { Evidence, Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { AttemptOptions, Probe } from "../../src/probe/probe.ts";
import { organizationId } from "../../src/probe/read/shapes.ts";
import { reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";

const ROUNDS = 3;
/** So many where some were refused that are accepted alone: the next round may show what else their tokens do. */
const MOST_ROUNDS = 12;
/** Of each kind, in each round. */
const AT_ONCE = 3;
/** How often each is sent alone: others may be under way, so that one answer says little. */
const ALONE = 3;

/** A request with a token of its own. */
interface Kind {
  readonly mutation: Mutation;
  readonly options: AttemptOptions;
}

const UNCLEAR = "no answer";
const REFUSED = "refused";

/** Signed anew each time, as the others are: what is ready sooner would always arrive first. */
const good: Mutation = { ...signedAnew, name: "own" };

export const rule: Rule = defineRule({
  id: "receiver.isolation",
  title: "Requests side by side are each judged by their own token",
  level: "MUST",
  // What a token is let do alone has to be found out first.
  phase: "quiet",
  verifies: ["authentication.scopes-and-binding-from-token", "checks.scope", "checks.binding"],
  dependsOn: ["receiver.token-required/missing"],
  cases: () =>
    ORGANIZATION_OPERATIONS.filter((id) => !OPERATIONS[id].writes && !OPERATIONS[id].change).map(
      (operation) => ({
        id: `side-by-side@${operation}`,
        title: "tokens of different scopes and organizations, side by side",
        operation,
        why: "what one request may do follows from the token that it carries, and from no other",
        source: "contract, Model",
      }),
    ),
  async probe(probe): Promise<Finding> {
    const kinds = await kindsFor(probe);
    const exchanges: Exchange[] = [];
    const send = async ({ mutation, options }: Kind): Promise<Reply> =>
      (await probe.attempt(mutation, options)).reply;
    const alone = new Map<Kind, string>();
    for (const kind of kinds) {
      const seen: string[] = [];
      // One after the other: a receiver may limit what is asked at once.
      for (let time = 0; time < ALONE; time++) {
        const reply = await send(kind);
        exchanges.push(reply.exchange);
        seen.push(decision(probe, reply));
      }
      alone.set(kind, commonest(seen.filter((one) => one !== UNCLEAR)));
    }
    if ([...alone.values()].includes(UNCLEAR)) {
      const reason = phrase`one after another, not all were answered clearly`;
      return { kind: "inconclusive", reason, evidence: evidenceOf(exchanges) };
    }
    if (new Set(alone.values()).size === 1) {
      const reason = phrase`one after another, tokens of different scopes are all answered alike`;
      return { kind: "inconclusive", reason, evidence: evidenceOf(exchanges) };
    }
    const crossed: { exchange: Exchange; expected: string; actual: string }[] = [];
    let overlapping = false;
    // Those of the last round, as they were sent: how they arrived is chance.
    let last: readonly Exchange[] = [];
    const onlyRefused = (): boolean =>
      crossed.length > 0 && crossed.every(({ actual }) => actual === REFUSED);
    let asked = 0;
    for (let round = 0; round < (onlyRefused() ? MOST_ROUNDS : ROUNDS); round++) {
      // Each kind is the last one in some round: the last one to arrive may decide for all.
      const first = round % kinds.length;
      const turned = [...kinds.slice(first), ...kinds.slice(0, first)];
      const order = Array.from({ length: AT_ONCE }, () => turned).flat();
      const replies = await together(order.map(async (kind) => [kind, await send(kind)] as const));
      asked += replies.length;
      last = replies.map(([, { exchange }]) => exchange);
      overlapping ||= overlap(replies.map(([, reply]) => reply));
      for (const [kind, reply] of replies) {
        const [expected = "", actual] = [alone.get(kind), decision(probe, reply)];
        if (actual !== UNCLEAR && actual !== expected) {
          crossed.push({ exchange: reply.exchange, expected, actual });
        }
      }
    }
    const [first, ...more] = crossed.filter(({ actual }) => actual !== REFUSED);
    if (!overlapping) {
      const reason = phrase`no two requests were under way at once: --concurrency and request.maxRequestsPerSecond let nothing overlap`;
      return { kind: "inconclusive", reason, evidence: evidenceOf(last.slice(-2)) };
    }
    if (!first && crossed.length > 0) {
      const refused = crossed.length;
      const reason = phrase`${refused} requests were refused side by side that are accepted one after another: their tokens may have crossed, or somebody limits how much is asked at once`;
      return {
        kind: "inconclusive",
        reason,
        evidence: evidenceOf(crossed.map(({ exchange }) => exchange)),
      };
    }
    if (!first) return { kind: "pass", evidence: evidenceOf(last.slice(-kinds.length)) };
    return {
      kind: "fail",
      expected: phrase`${first.expected}, as one after another`,
      actual: phrase`${first.actual}; answered otherwise in ${crossed.length} of ${asked} requests side by side`,
      evidence: evidenceOf([first, ...more].map(({ exchange }) => exchange).slice(0, 4)),
      // Alone it was refused, or shown its own: what it was let do besides is proof, once is enough.
      certainty: more.length > 0 ? "many" : "proof",
    };
  },
});

/** The plain request, one without the scope, and, where tokens are bound, one about the other organization. */
async function kindsFor(probe: Probe): Promise<Kind[]> {
  const { bindingClaim } = probe.target;
  const { other } = await probe.organizations();
  const elsewhere: Mutation = {
    name: "bound-to-other",
    what: "the token is bound to the other organization, which the path names",
    claims: (_draft, { target }) => ({ [target.bindingClaim ?? ""]: other }),
    asks: () => ({ organization: other }),
  };
  return [
    { mutation: good, options: {} },
    { mutation: otherScopes, options: {} },
    ...(bindingClaim === undefined || other === undefined
      ? []
      : [{ mutation: elsewhere, options: { organization: other } }]),
  ];
}

/** What an answer says of whose request it was: accepted or not, and which organization it shows. */
function decision({ target }: Probe, reply: Reply): string {
  // Of an answer that is not whole nobody knows whom it shows.
  if (reply.cut) return UNCLEAR;
  switch (reception(reply)) {
    case "unclear":
      return UNCLEAR;
    case "accepted": {
      const pointer = target.operations.viewOrganization?.organization;
      const body = reply.json();
      const shown = organizationId(pointer === undefined ? body : atPointer(body, pointer));
      return shown === undefined ? "accepted" : `accepted, and shown the organization ${shown}`;
    }
    default:
      return REFUSED;
  }
}

function commonest(seen: readonly string[]): string {
  const count = (one: string): number => seen.filter((other) => other === one).length;
  return seen.toSorted((a, b) => count(b) - count(a))[0] ?? UNCLEAR;
}

function evidenceOf(exchanges: readonly Exchange[]): Evidence {
  return { probes: exchanges.map(({ id }) => id) };
}

/** Whether two of them were under way at once. */
function overlap(replies: readonly Reply[]): boolean {
  const spans = replies
    .flatMap(({ underWay }) => underWay ?? [])
    .toSorted((one, other) => one.from - other.from);
  return spans.some(({ to }, at) => {
    const next = spans[at + 1];
    return next !== undefined && next.from < to;
  });
}
