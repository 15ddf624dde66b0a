import { RULES } from "../../suites/index.ts";
import { packed } from "../engine/conclusion/signature-file.ts";
import {
  type KnownFaults,
  partsOf,
  type Signature,
  withoutClient,
} from "../engine/conclusion/signatures.ts";
import type { Outcome } from "../engine/events.ts";
import { uncapitalized } from "../lib/words.ts";
import { type Fault, FAULTS } from "../reference/index.ts";
import type { Proof } from "./prove.ts";

type Seen = Proof["seen"][number];

/** What the file says of a fault follows its words at once, whichever faults are proven. */
const wordsToday = new Map(FAULTS.map((fault) => [fault.name, wordsOf(fault)]));

/** Rules whose cases only tell where something was seen. */
const isOfRecord: ReadonlySet<string> = new Set(
  RULES.filter(({ phase }) => phase === "record").map(({ id }) => id),
);

/** What a diagnosis says of a fault: what a run shows of it, and where to look, with what this fault does as an example. */
export function wordsOf({
  title,
  shows,
  how,
  source,
}: Fault): Pick<Signature, "behaves" | "look" | "source"> {
  return {
    behaves: uncapitalized(shows ?? title),
    look: shows === undefined ? how : `For example, it ${uncapitalized(title)}. ${how}`,
    ...(source !== undefined && { source }),
  };
}

/**
 * The text of `fixtures/signatures.json`, for the diagnosis of others: one line a member.
 * @param known what the file says of faults without a proof; default: nothing
 */
export function signaturesFile(
  proofs: readonly Proof[],
  known: KnownFaults = { signatures: [], held: {} },
): string {
  const proven = new Set(proofs.map(({ subject }) => subject.name));
  const others = known.signatures
    .filter(({ fault }) => !proven.has(fault))
    .map((one) => ({ ...one, ...wordsToday.get(one.fault) }));
  const seen = proofs.flatMap((proof) => {
    const { kind, name } = proof.subject;
    const fault = kind === "fault" ? FAULTS.find((one) => one.name === name) : undefined;
    if (!fault) return [];
    const cases = worstOfEach(proof.seen.filter(({ rule }) => rule === fault.rule));
    const open = worstOfEach(proof.open.filter(({ rule }) => rule === fault.rule));
    return cases.length > 0 ? [{ fault, cases, open, key: keyOf(cases) }] : [];
  });
  const shown = new Set(seen.flatMap(({ cases }) => cases.map(({ id }) => partsOf(id).tried)));
  const signatures = seen.map(({ fault, cases, open, key }): Signature => {
    const idsOf = (ones: readonly { readonly id: string }[]): string[] =>
      ones.map(({ id }) => id.slice(fault.rule.length + 1));
    const fail = idsOf(cases.filter(({ outcome }) => outcome === "fail"));
    const warn = idsOf(cases.filter(({ outcome }) => outcome === "warn"));
    const unknown = idsOf(open.filter(({ id }) => shown.has(partsOf(id).tried)));
    const shared =
      seen.filter((other) => other.key === key).length > 1 ||
      others.some((other) => keyOf(casesOf(other)) === key);
    return {
      fault: fault.name,
      rule: fault.rule,
      ...wordsOf(fault),
      ...(fail.length > 0 && { fail }),
      ...(warn.length > 0 && { warn }),
      ...(unknown.length > 0 && { open: unknown }),
      ...((shared || fault.byAnswer || isOfRecord.has(fault.rule)) && {
        saw: [...new Set(cases.map(({ gist = "" }) => gist))].toSorted(),
      }),
    };
  });
  const byFault = new Map([...others, ...signatures].map((one) => [one.fault, one]));
  const every = FAULTS.flatMap(({ name }) => byFault.get(name) ?? []);
  const all = every.map((one) => (isToldByCases(one, every) ? withoutSaw(one) : one));
  const held = heldBy(proofs, all, known.held);
  return fileOf({ signatures: all, held });
}

/** Whether all faults that break the same cases are told in the same words, so that what the cases saw does not matter. */
function isToldByCases(one: Signature, every: readonly Signature[]): boolean {
  if (isOfRecord.has(one.rule) || FAULTS.find(({ name }) => name === one.fault)?.byAnswer)
    return false;
  const key = keyOf(casesOf(one));
  const alike = every.filter((other) => other.rule === one.rule && keyOf(casesOf(other)) === key);
  return alike.every(({ behaves }) => behaves === one.behaves);
}

function withoutSaw({ saw: _saw, ...one }: Signature): Signature {
  return one;
}

/** The text of the file: one line a member. */
function fileOf(known: KnownFaults): string {
  const { cases, signatures, held } = packed(known);
  return [
    '{ "cases": {',
    `${byRule(cases)} },`,
    '  "signatures": [',
    `${signatures.map(lines).join(",\n")} ],`,
    '  "held": {',
    `${byRule(held)} } }\n`,
  ].join("\n");
}

function byRule(lists: object): string {
  return Object.entries(lists)
    .map((one) => `  ${member(one)}`)
    .join(",\n");
}

/** Each case once, whatever the profile's clients that it is about are called; a failure before a warning. */
function worstOfEach<
  Case extends { readonly id: string; readonly rule: string; readonly outcome?: Outcome },
>(cases: readonly Case[]): Case[] {
  const found = new Map<string, Case>();
  for (const one of cases) {
    const id = withoutClient(one.id);
    const known = found.get(id);
    if (!known || (known.outcome === "warn" && one.outcome === "fail"))
      found.set(id, { ...one, id });
  }
  return [...found.values()];
}

/** See `KnownFaults`. */
function heldBy(
  proofs: readonly Proof[],
  signatures: readonly Signature[],
  before: KnownFaults["held"],
): Record<string, string[]> {
  const held: Record<string, string[]> = {};
  const rules = new Set(signatures.map(({ rule }) => rule));
  for (const rule of rules) {
    const shown = new Set(
      signatures.flatMap((one) =>
        one.rule === rule ? [...(one.fail ?? []), ...(one.warn ?? [])] : [],
      ),
    );
    const tried = new Set([...shown].map((id) => partsOf(id).tried));
    const ids = proofs
      .filter(({ subject }) => subject.kind !== "fault")
      .flatMap((proof) => proof.held)
      .filter((one) => one.rule === rule)
      .map(({ id }) => withoutClient(id).slice(rule.length + 1));
    const all = [...(before[rule] ?? []), ...ids].filter(
      (id) => !shown.has(id) && tried.has(partsOf(id).tried),
    );
    if (all.length > 0) held[rule] = [...new Set(all)];
  }
  return held;
}

/** The cases that saw a known fault. */
function casesOf({ rule, fail = [], warn = [] }: Signature): Pick<Seen, "id" | "outcome">[] {
  const of = (ids: readonly string[], outcome: Outcome): Pick<Seen, "id" | "outcome">[] =>
    ids.map((id) => ({ id: `${rule}/${id}`, outcome }));
  return [...of(fail, "fail"), ...of(warn, "warn")];
}

function keyOf(cases: readonly Pick<Seen, "id" | "outcome">[]): string {
  return cases
    .map(({ id, outcome }) => `${outcome} ${id}`)
    .toSorted()
    .join("\n");
}

function lines(signature: object): string {
  return ` { ${Object.entries(signature).map(member).join(",\n   ")} }`;
}

function member([name, value]: readonly [string, unknown]): string {
  return `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
}
