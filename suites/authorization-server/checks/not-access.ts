import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import { ASYMMETRIC, verifyingKey } from "../../../src/authorization-server/protocol/key-set.ts";
import type { IssuedToken } from "../../../src/authorization-server/tokens/issued.ts";
import type { OperationId } from "../../../src/contract/operations.ts";
import type { Reply } from "../../../src/http/exchange.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { base64url } from "../../../src/tokens/compact.ts";
import { parseToken } from "../../../src/tokens/parse.ts";
import { signRaw } from "../../../src/tokens/sign.ts";

interface NotAccessToken {
  readonly id: string;
  readonly title: string;
  readonly of: (token: IssuedToken) => string | undefined;
}

/** What a flow returns in addition to the access token. No receiver may accept it as one. */
export const NOT_ACCESS_TOKENS: readonly NotAccessToken[] = [
  {
    id: "code",
    title: "The receiver refuses an authorization code in place of a token",
    of: ({ coded }) => coded?.answer.code,
  },
  {
    id: "refresh-token",
    title: "The receiver refuses a refresh token in place of an access token",
    of: ({ response }) => response.refreshToken,
  },
  {
    id: "id-token",
    title: "The receiver refuses an ID token in place of an access token",
    of: ({ response }) => response.idToken,
  },
];

/**
 * Judges that the receiver rejects something that came with an accepted access token. It applies
 * where the contract's check 1, 3 or 5 must reject it: it is not a JWT that public keys verify, has
 * another audience, or has no scope.
 */
export async function judgeNotAccess(
  probe: ServerProbe,
  client: Client,
  instead: NotAccessToken,
  operation: OperationId,
): Promise<Finding> {
  const token = await probe.token(client);
  const text = instead.of(token);
  if (text === undefined) return Finding.notApplicable(phrase`the flow returns none`);
  if (!failsChecks(text, probe.target)) {
    return Finding.notApplicable(phrase`it satisfies the receiver's checks like the access token`);
  }
  return judgeRefused(probe, token, text, operation);
}

/** Judges that the receiver rejects a text which is sent in place of a token, between two requests with the token. */
async function judgeRefused(
  probe: ServerProbe,
  token: IssuedToken,
  text: string,
  operation: OperationId,
): Promise<Finding> {
  const before = await probe.present(token, operation);
  if (reception(before.reply) !== "accepted") return notAccepted(before.reply);
  const { reply, evidence } = await probe.presentOther(token, text, operation);
  const after = await probe.present(token, operation);
  const controls = [before, after].map((one) => one.reply.exchange.id);
  const seen = { probes: evidence.probes, controls };
  const actual = describeReply(reply);
  if (reception(after.reply) !== "accepted") {
    return Finding.inconclusive(phrase`the access token was refused afterwards`, seen);
  }
  switch (reception(reply)) {
    case "accepted":
      return {
        kind: "fail",
        expected: phrase`rejected`,
        actual,
        evidence: seen,
        certainty: "proof",
      };
    case "rejected":
      return Finding.pass(seen);
    default:
      return Finding.inconclusive(actual, seen);
  }
}

/**
 * Judges that the receiver rejects the claims of an accepted token under the test issuer's key. That key is trusted, but
 * it is not the authorization server's, and each issuer may sign for itself alone.
 */
export async function judgeOtherIssuersKey(
  probe: ServerProbe,
  client: Client,
  operation: OperationId,
): Promise<Finding> {
  const { key, url } = probe.target.testIssuer;
  if (url === probe.server.issuer) {
    return Finding.notApplicable(phrase`the test issuer has the name of the authorization server`);
  }
  const token = await probe.token(client);
  const [, payload = ""] = token.token.split(".");
  const header = { ...token.header, alg: key.alg, kid: key.kid };
  const input = `${base64url(JSON.stringify(header))}.${payload}`;
  const text = `${input}.${base64url(signRaw(key.alg, key, input))}`;
  const { keys } = await probe.keySet();
  if (await verifyingKey(text, header, keys)) {
    return Finding.notApplicable(
      phrase`the key of the test issuer is in the JWKS of the authorization server`,
    );
  }
  return judgeRefused(probe, token, text, operation);
}

function failsChecks(text: string, { audience }: Facts): boolean {
  const parsed = parseToken(text);
  if (typeof parsed === "string") return true;
  const { header, claims } = parsed;
  const isSigned = typeof header["alg"] === "string" && ASYMMETRIC.test(header["alg"]);
  return !isSigned || ![claims["aud"]].flat().includes(audience) || claims["scope"] === undefined;
}

/** The finding where not even the access token is accepted. The case of that token judges a 403, which may be allowed. */
export function notAccepted(reply: Reply): Finding {
  const reason = phrase`the access token was answered ${describeReply(reply)}`;
  return reply.status === 403 ? Finding.notApplicable(reason) : Finding.inconclusive(reason);
}
