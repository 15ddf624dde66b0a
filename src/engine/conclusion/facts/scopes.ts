import { OPERATION_IDS, OPERATIONS, SCOPES } from "../../../contract/operations.ts";
import { listFact, phrase, type Phrase } from "../../../probe/phrase.ts";
import type { Asked } from "../model/asked.ts";
import { type Line, samplesOf } from "./line.ts";

const NONE = "no scope";

/** Which scopes, each alone in a token, an operation accepts and refuses, where that is not as the contract says. */
export function scopeLines(all: readonly Asked[]): Line[] {
  const samples = samplesOf(all, ["scope"], ({ token }) => token?.claims?.["scope"] ?? NONE).filter(
    ({ value }) => value === NONE || SCOPES.some((one) => one === value),
  );
  return OPERATION_IDS.flatMap((operation): Line[] => {
    const own = samples.filter((one) => one.operation === operation);
    const [accepted, refused] = [true, false].map((how) =>
      [...SCOPES, NONE].filter((scope) =>
        own.some(({ value, accepted: was }) => value === scope && was === how),
      ),
    );
    const required = OPERATIONS[operation].scope;
    const isOff = accepted?.some((one) => one !== required) || refused?.includes(required);
    if (!isOff || !accepted?.[0] || !refused?.[0]) return [];
    return [{ operation, accepts: either("a token", accepted), refuses: either("one", refused) }];
  });
}

function either(token: string, scopes: readonly string[]): Phrase {
  const named = scopes.filter((one) => one !== NONE).map((one) => `\`${one}\``);
  const kinds = [
    ...(named.length > 0 ? [phrase`with only ${listFact(named, " or ")}`] : []),
    ...(named.length < scopes.length ? [phrase`without a scope`] : []),
  ];
  return phrase`${token} ${listFact(kinds, ", or ")}`;
}
