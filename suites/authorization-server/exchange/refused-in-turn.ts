import type { TokenResponse } from "../../../src/authorization-server/protocol/token-request.ts";
import { refusal } from "../../../src/authorization-server/tokens/flow-control.ts";
import type { IssuedToken } from "../../../src/authorization-server/tokens/issued.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";

export interface WrongRequest<Grant> {
  /** What is wrong, after "for". */
  readonly what: string;
  readonly send: (grant: Grant) => Promise<TokenResponse>;
}

/** The codes or refresh tokens of a client. */
export interface Grants<Grant> {
  /** A new one, for which consent is given. */
  readonly obtain: () => Promise<Grant>;
  /** The good request with it. */
  readonly sendGood: (grant: Grant) => Promise<TokenResponse>;
  /** Whether a further one may be obtained, because a program gives the consent. */
  readonly unattended: boolean;
}

/**
 * Judges that none of these requests gets a token. They are sent in turn with one code or refresh token, and then the
 * good request, which shows that it was valid all along. Where the good one is refused, the first wrong one has used
 * it up: then only that one counts, and a new code or refresh token is obtained for the others, but not from a person.
 */
export async function refusedInTurn<Grant>(
  requests: readonly WrongRequest<Grant>[],
  control: IssuedToken,
  { obtain, sendGood, unattended }: Grants<Grant>,
): Promise<Finding> {
  const probes: string[] = [];
  for (let left = requests; left.length > 0; left = left.slice(1)) {
    const grant = await obtain();
    for (const { what, send } of left) {
      const found = refusal(await send(grant), control, phrase`no access token for ${what}`);
      if (found.kind !== "pass") return found;
      probes.push(...(found.evidence?.probes ?? []));
    }
    const { accessToken } = await sendGood(grant);
    if (accessToken !== undefined) break;
    if (!unattended && left.length > 1) {
      return Finding.pass(
        { probes: probes.slice(0, 1), controls: [control.exchange] },
        phrase`a refused request ends the grant, and a person would have to consent again: only ${left[0]?.what ?? ""} was looked at`,
      );
    }
  }
  return Finding.pass({ probes, controls: [control.exchange] });
}
