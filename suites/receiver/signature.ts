import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import { type Mutation, signedAnew, unchanged, withToken } from "../../src/mutations/mutation.ts";
import {
  algNone,
  forgedSignature,
  strippedSignature,
  tamperedPayload,
} from "../../src/mutations/token/signature.ts";
import {
  besideOthers,
  custom,
  type MutationCase,
  oneRead,
  oneReadOneWrite,
} from "../../src/probe/cases.ts";
import { Finding, ofAll } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { compact } from "../../src/tokens/compact.ts";
import { misstatedAlgorithms, otherAlgorithms, untypedAlgorithms } from "./signature/algorithm.ts";
import { criticalExtensions, openExtensions, unencodedPayloads } from "./signature/crit.ts";
import { ecdsaForgeries } from "./signature/ecdsa.ts";
import { junkInEncoding, openEncodings } from "./signature/encoding.ts";
import { forgedTokens, forgedUnderEachKey } from "./signature/forged.ts";
import { confusedKeys, confusedSerializations } from "./signature/hmac.ts";
import {
  claimsLeftOut,
  misplacedClaims,
  openJson,
  payloadsThatAreNoClaims,
  repeatedMembers,
} from "./signature/json.ts";
import { costlyEncryption, encryptedTokens } from "./signature/jwe.ts";
import { embeddedKeys, keysBehindIssuerUrls, keysBehindUrls } from "./signature/key-brought.ts";
import { injectedKids, openKids } from "./signature/kid.ts";
import { rsaForgeries } from "./signature/rsa.ts";
import {
  dotFlood,
  emptySegments,
  nestedToken,
  otherSerializations,
} from "./signature/serialization.ts";
import { type OnceAccepted, tamperedOnceAccepted, tamperedTokens } from "./signature/tampered.ts";
import { unsecuredTokens, untypedUnsecured } from "./signature/unsecured.ts";
import { hidesOnRespelledPaths } from "./ways/near-routes.ts";
import { READS_TOKENS, rejectsInOtherWays } from "./ways/other-ways.ts";
import { rejectsReplayed } from "./ways/replayed.ts";
import { goodUnder, notAccepted } from "./ways/under-key.ts";
import { rejectsWithinSkew } from "./ways/within-skew.ts";

type OnceAcceptedCase = MutationCase<OnceAccepted>;

/** How much longer a rejection may take than an acceptance. */
const SLOWER_MS = 2000;

const onEveryOperation = [algNone, forgedSignature, tamperedPayload, strippedSignature];

const onOneReadAndOneWrite = [
  ...unsecuredTokens,
  ...tamperedTokens,
  ...forgedTokens,
  ...confusedKeys,
  ...embeddedKeys,
  ...keysBehindUrls,
  ...injectedKids,
  ...criticalExtensions,
  ...encryptedTokens,
  ...otherSerializations,
  ...repeatedMembers,
];

const onOneRead = [
  ...untypedUnsecured,
  ...misstatedAlgorithms,
  ...untypedAlgorithms,
  ...otherAlgorithms,
  ...confusedSerializations,
  ...keysBehindIssuerUrls,
  ...ecdsaForgeries,
  ...rsaForgeries,
  ...unencodedPayloads,
  ...emptySegments,
  ...junkInEncoding,
  ...payloadsThatAreNoClaims,
];

const costly = [costlyEncryption, dotFlood];

const open = [...openKids, ...openExtensions, ...openEncodings, ...openJson, nestedToken];

export const rule: Rule = defineRule({
  id: "receiver.signature",
  title: "A token whose signature is not the issuer's is rejected",
  level: "MUST",
  verifies: [
    "checks.signature",
    "service.authenticated",
    "authentication.oauth-and-jwt",
    "authentication.public-keys",
    "checks.any-failure-rejects",
    "rfc7519.compact",
    "rfc7519.unique-claims",
    "rfc7519.validation-steps",
    "rfc7519.encoding",
    "rfc7519.claims-set",
    "rfc7519.acceptable-algorithms",
    "rfc7515.base64url",
    "rfc7515.unique-header",
    "rfc7515.alg",
    "rfc7515.kid",
    "rfc7515.crit",
    "rfc7515.crit-wellformed",
    "rfc7515.validation",
    "rfc7515.key-origin",
    "rfc7518.hmac",
    "rfc7518.ecdsa",
    "rfc7518.none",
    "rfc7797.b64",
    "rfc8725.algorithms",
    "rfc8725.utf8",
    "rfc8725.issuer",
    "rfc8725.received-claims",
    "rfc9068.validation",
  ],
  dependsOn: READS_TOKENS,
  cases: (facts) => {
    const read = oneRead(facts);
    return [
      ...besideItsKey(OPERATION_IDS, onEveryOperation),
      ...besideItsKey(oneReadOneWrite(facts), onOneReadAndOneWrite),
      ...custom(oneReadOneWrite(facts), misplacedClaims, rejectsMisplaced).map(besideOthers),
      ...besideItsKey(read, [...forgedUnderEachKey(facts), ...onOneRead]),
      ...rejectsInOtherWays(facts, forgedSignature),
      ...hidesOnRespelledPaths(forgedSignature),
      ...rejectsWithinSkew(facts, oneReadOneWrite(facts), forgedSignature),
      ...rejectsReplayed(facts, forgedSignature),
      ...custom(read, tamperedOnceAccepted, rejectsOnceAccepted),
      ...custom(read, costly, rejectsInTime),
      ...besideItsKey(read, open),
    ];
  },
});

function besideItsKey(
  operations: readonly OperationId[],
  mutations: readonly Mutation[],
): RuleCase[] {
  return custom(operations, mutations, rejectsBesideItsKey).map(besideOthers);
}

/** The control of another key is one more accepted request, so it is left out for writes, which are limited. */
async function rejectsBesideItsKey(probe: Probe, testCase: MutationCase): Promise<Finding> {
  const { mutation, operation } = testCase;
  const unproven = OPERATIONS[operation].writes ? undefined : await keyIsRefused(probe, testCase);
  return unproven ?? probe.rejects(mutation);
}

/** A receiver that accepts the token without the claims does not read them elsewhere. Rules about each claim judge that. */
function rejectsMisplaced(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  return probe.rejects(mutation, {
    async doubt({ reply, evidence }) {
      if (reception(reply) !== "accepted") return undefined;
      const without = await probe.attempt(claimsLeftOut);
      const received = reception(without.reply);
      if (received === "rejected") return undefined;
      return {
        kind: received === "accepted" ? "not-applicable" : "inconclusive",
        reason: phrase`without the claims the token is not refused either: ${describeReply(without.reply)}`,
        evidence: ofAll([evidence, without.evidence]),
      };
    },
  });
}

async function rejectsInTime(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  return (await takesLong(probe, mutation)) ?? probe.rejects(mutation);
}

/** Whether no token is accepted that is signed with the key of the mutation, if that is not the key of the controls. */
async function keyIsRefused(
  probe: Probe,
  { mutation: { token }, operation }: MutationCase,
): Promise<Finding | undefined> {
  const { testIssuer } = probe.target;
  const other = token?.key?.(probe.target);
  if (!other || other.kid === testIssuer.key.kid || !testIssuer.algorithms.includes(other.alg)) {
    return undefined;
  }
  const attempt = await probe.use(goodUnder(other, operation));
  return reception(attempt.reply) === "accepted" ? undefined : notAccepted(other, attempt);
}

/**
 * Presents a good token of its own to a case that reads. Accepted writes are limited, so cases that write share one.
 * @returns the attempt, and how much older the token is than the controls'
 */
function presented(probe: Probe, { mutation, operation }: OnceAcceptedCase) {
  const { accepted } = mutation;
  const present = async (by: Probe) => {
    const age = by.newAge();
    return { age, ...(await by.attempt(accepted, { age, purpose: "wanted" })) };
  };
  return OPERATIONS[operation].writes
    ? probe.use({ name: `once accepted ${accepted.name}`, scope: "rule", setup: present })
    : present(probe);
}

async function rejectsOnceAccepted(probe: Probe, testCase: OnceAcceptedCase): Promise<Finding> {
  const { mutation } = testCase;
  const { accepted } = mutation;
  const { reply, segments: sent, evidence, age } = await presented(probe, testCase);
  const received = reception(reply);
  if (accepted !== signedAnew && received === "rejected") {
    const reason = phrase`a token that differs from a good one in this is refused: ${accepted.what}`;
    return Finding.notApplicable(reason);
  }
  if (received !== "accepted") return Finding.inconclusive(describeReply(reply), evidence);
  const changed = withToken<Mutation>(mutation, {
    text: (segments, draft, context) =>
      mutation.token?.text?.(sent, draft, context) ?? compact(segments),
  });
  return probe.rejects(changed, { age });
}

/** Whether the answer takes much longer than the answer to a good token that is sent right afterwards. */
async function takesLong(probe: Probe, mutation: Mutation): Promise<Finding | undefined> {
  const { control, reply, evidence } = await probe.attempt(mutation);
  const { durationMs } = reply.exchange;
  if (durationMs - control.reply.exchange.durationMs <= SLOWER_MS) return undefined;
  // Everything may be slow just now.
  const good = await probe.attempt(unchanged, { purpose: "wanted" });
  if (durationMs - good.reply.exchange.durationMs <= SLOWER_MS) return undefined;
  return {
    kind: "fail",
    expected: phrase`an answer at most ${SLOWER_MS} ms later than to a good token`,
    actual: phrase`${describeReply(reply)} after ${durationMs} ms`,
    evidence,
    atMost: "SHOULD",
  };
}
