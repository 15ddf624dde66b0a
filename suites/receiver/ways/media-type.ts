import type { OperationId } from "../../../src/contract/operations.ts";
import type { InvalidMutation, Mutation } from "../../../src/mutations/mutation.ts";
import { besideOthers, custom, type MutationCase } from "../../../src/probe/cases.ts";
import { Finding } from "../../../src/probe/finding.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { rejectsChanged } from "./changed-write.ts";
import {
  afterTokenless,
  type CheckOptions,
  EVERY_WRITE,
  near,
  operationsFor,
} from "./check-options.ts";

/**
 * Writes whose media type is spelled in another way, RFC 9110 §8.3.1: letters in another case, a blank before a parameter, a
 * quoted parameter. A guard may be registered for one spelling, and the parser of the body reads all.
 */

/** A media type without its parameters, and those. */
function partsOf(type: string): readonly [type: string, parameters: string] {
  const [, essence = "", parameters = ""] = /^([^;]*?)\s*(;.*)?$/.exec(type) ?? [];
  return [essence, parameters];
}

function respelled(name: string, what: string, spell: (type: string) => string): Mutation {
  return {
    name,
    what,
    request: (spec) => ({
      ...spec,
      headers: spec.headers.map(([field, value]): readonly [string, string] => [
        field,
        field === "content-type" ? spell(value) : value,
      ]),
    }),
  };
}

/** The type with its parameters, or with a charset where it has none. */
function withParameter(type: string, charset: string): string {
  const [essence, parameters] = partsOf(type);
  return `${essence}${parameters === "" ? charset : parameters}`;
}

function capitalized(type: string): string {
  return type.replace(/^[^;]*/, (essence) =>
    essence.replaceAll(/(^|\/)(\w+)/g, (_all, before: string, word: string) =>
      before === "/" ? `${before}${word.toUpperCase()}` : capital(word),
    ),
  );
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

const plainCharset = respelled(
  "charset",
  "its media type has the parameter charset=utf-8",
  (type) => withParameter(type, "; charset=utf-8"),
);

/** All at once, and then one by one for a parser that does not take all. */
const spellings: readonly Mutation[] = [
  respelled(
    "media-type",
    "its media type has capitals, a blank before its parameter, and the parameter is quoted",
    (type) => capitalized(withParameter(type, ' ; charset="utf-8"')),
  ),
  respelled("media-type", "its media type has capitals", capitalized),
  respelled("media-type", "its media type has a quoted parameter", (type) =>
    withParameter(type, ';charset="utf-8"'),
  ),
];

/**
 * Two cases for a mutation that must be rejected whatever the spelling of the media type: `<mutation>-media-type@<operation>` on
 * one write, and `<mutation>-charset@<operation>`, with the spelling that most clients use, on the other one.
 */
export function rejectsRespelledType(
  facts: Facts,
  mutation: InvalidMutation,
  options: CheckOptions = {},
): RuleCase[] {
  const writes = operationsFor(facts, options, EVERY_WRITE);
  const judge =
    (changes: readonly Mutation[]) =>
    async (probe: Probe, { operation }: MutationCase): Promise<Finding> =>
      inFirstSpelling(probe, operation, mutation, changes, options);
  return [
    ...casesFor(writes.slice(0, 1), spellings),
    ...casesFor(writes.slice(-1), [plainCharset]),
  ].map(besideOthers);

  function casesFor(operations: readonly OperationId[], changes: readonly Mutation[]) {
    return changes
      .slice(0, 1)
      .flatMap((change) =>
        custom(
          operations,
          [near(mutation, change)],
          judge(changes),
          afterTokenless(mutation, change.name),
        ),
      );
  }
}

/** In the first spelling that is not refused for the body. */
async function inFirstSpelling(
  probe: Probe,
  operation: OperationId,
  mutation: InvalidMutation,
  changes: readonly Mutation[],
  options: CheckOptions,
): Promise<Finding> {
  let last: Finding | undefined;
  for (const change of changes) {
    last = await rejectsChanged(probe, operation, mutation, change, options);
    if (last.kind !== "not-applicable") return last;
  }
  return last ?? Finding.pass();
}
