import { CHECKED_CLAIMS } from "../../../src/contract/claims.ts";
import type { InvalidMutation } from "../../../src/mutations/mutation.ts";

/**
 * A token whose claim for one of the checks 2 to 5 has its name in capitals. Only a reader that
 * ignores case finds it. The claim itself is absent.
 * @throws TypeError where no check reads a claim of that name
 */
export function inCapitals(claim: string): InvalidMutation {
  const checked = CHECKED_CLAIMS.find(({ name }) => name === claim);
  if (!checked) throw new TypeError(`no receiver check looks at the claim ${claim}`);
  return {
    name: `${claim}-in-capitals`,
    what: `\`${claim}\` is written in capitals`,
    refused: {
      check: checked.checkedBy.check,
      why: "the name of a claim is compared exactly, including case",
      source: "contract, Token claims; RFC 7519 §7.3",
      atAnyTime: true,
    },
    token: {
      claims: ({ claims }) => ({ [claim]: undefined, [claim.toUpperCase()]: claims[claim] }),
    },
  };
}
