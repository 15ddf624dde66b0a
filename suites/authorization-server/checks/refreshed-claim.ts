import { passUnless } from "../../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import type { IssuedToken } from "../../../src/authorization-server/tokens/issued.ts";
import { type Evidence, Finding } from "../../../src/probe/finding.ts";
import { phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";
import { furtherTokens } from "./further-tokens.ts";
import { contractScopes, scopeList } from "./granted-scopes.ts";

/** Judges that a refresh keeps the value of a claim. Other cases judge a claim that is no text. */
export async function judgeKept(
  probe: ServerProbe,
  client: Client,
  claim: string,
): Promise<Finding> {
  const pairs = (await refreshedTokens(probe, client)).flatMap(({ token, original }) => {
    const [before, after] = [original, token].map((one) => textIn(one, claim));
    return before !== undefined && after !== undefined ? [{ before, after, token, original }] : [];
  });
  const [first] = pairs;
  if (!first) return Finding.notApplicable(phrase`no refresh token gave a token with ${claim}`);
  const { before, after, token, original } = pairs.find((one) => one.before !== one.after) ?? first;
  const evidence: Evidence = { probes: [token.exchange], controls: [original.exchange] };
  const expected = phrase`\`${claim}\` is ${valueFact(before)}, as in the token that came with the refresh token`;
  const actual = before === after ? undefined : phrase`it is ${valueFact(after)}`;
  return passUnless(actual, expected, evidence);
}

/**
 * Judges that a token for a refresh token has scopes of the grant. A request without scope means those that were
 * granted, RFC 6749 section 6. Which of them are lost is recorded, because section 3.3 lets a server ignore some.
 */
export async function judgeKeptScopes(probe: ServerProbe, client: Client): Promise<Finding> {
  const pairs = (await refreshedTokens(probe, client)).flatMap(({ token, original }) => {
    const [before, after] = [original, token].map(({ claims: { scope } }) =>
      typeof scope === "string" ? contractScopes(probe.server, scope) : undefined,
    );
    if (!before?.size || !after) return [];
    return [{ before, left: [...before].filter((one) => after.has(one)), token, original }];
  });
  const worst = pairs.toSorted((a, b) => a.left.length - b.left.length)[0];
  if (!worst) return Finding.notApplicable(phrase`no refresh token gave a token with \`scope\``);
  const { before, left, token, original } = worst;
  const evidence: Evidence = { probes: [token.exchange], controls: [original.exchange] };
  const lost = [...before].filter((one) => !left.includes(one));
  if (lost.length === 0) return Finding.pass(evidence);
  if (left.length > 0)
    return Finding.observed(phrase`${valueFact(lost.join(" "))} is missing`, evidence);
  const expected = phrase`${scopeList(before)}, as in the token that came with the refresh token`;
  const actual =
    token.claims["scope"] === ""
      ? phrase`its \`scope\` is empty`
      : phrase`none of these: ${valueFact(String(token.claims["scope"]).slice(0, 200))}`;
  return passUnless(actual, expected, evidence);
}

/** The tokens of a client that a refresh token gave, each with the token that came with it. */
async function refreshedTokens(
  probe: ServerProbe,
  client: Client,
): Promise<readonly { readonly token: IssuedToken; readonly original: IssuedToken }[]> {
  await furtherTokens(probe, client);
  return probe.issued.flatMap((token) => {
    const { refreshed: original } = token;
    return original?.client.name === client.name ? [{ token, original }] : [];
  });
}

function textIn({ claims }: IssuedToken, claim: string): string | undefined {
  const value = claims[claim];
  return typeof value === "string" && value !== "" ? value : undefined;
}
