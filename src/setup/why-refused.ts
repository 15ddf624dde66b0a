import { OPERATION_IDS, OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import { type Examined, examineToken } from "../model/examine.ts";
import { knownOf } from "../model/known-of.ts";
import { isOfContract } from "../model/outcome.ts";
import { recordedToken } from "../model/token.ts";
import { failureInWords, gapInWords } from "../model/words.ts";
import type { InvalidMutation } from "../mutations/mutation.ts";
import { otherAudience } from "../mutations/token/audience.ts";
import { expired } from "../mutations/token/expiry.ts";
import { untrustedIssuer } from "../mutations/token/issuer.ts";
import { forgedSignature } from "../mutations/token/signature.ts";
import { composeRequest } from "../probe/compose.ts";
import { likelyForm } from "../probe/controls/forms.ts";
import { ownWords } from "../probe/own-words.ts";
import { inWords } from "../probe/phrase.ts";
import { describeReply, reception } from "../probe/reception.ts";
import { seededUuid } from "../probe/request.ts";
import type { Session } from "../probe/session.ts";
import type { Target } from "../profile/target.ts";
import type { SetupFault } from "./fault.ts";

interface Refused {
  readonly id: OperationId;
  readonly reply: Reply;
}

/**
 * Finds out why no good token is accepted anywhere.
 * @param refused the response to one of the good requests
 * @param primary the organization of that request, where it had one
 */
export async function diagnoseRefusal(
  session: Session,
  refused: Refused,
  primary: string | undefined,
): Promise<SetupFault> {
  const { id, reply } = refused;
  switch (reception(reply)) {
    case "redirected":
      return redirected(session, refused);
    case "broken":
      return {
        check: "answers",
        side: "deployment",
        problem: `The deployment fails on every good request: ${inWords(describeReply(reply))} on ${id}.`,
        remedy: `Search its logs for the header \`Conformance-Case: ${reply.exchange.caseId}\`.`,
      };
    case "unclear":
      return {
        check: "available",
        side: "deployment",
        problem: `No good request is answered: ${inWords(describeReply(reply))} on ${id}.`,
        remedy:
          "Check that the deployment is running; if it limits the request rate, set `request.maxRequestsPerSecond` or `request.timeoutMs` in the profile.",
      };
    case "accepted":
    case "rejected":
      return { ...(await whichCheck(session, refused, primary)), said: ownWords(reply) };
  }
}

function redirected({ target }: Session, { id, reply }: Refused): SetupFault {
  const to = reply.headers["location"]?.slice(0, 200) ?? "nowhere";
  const problem = `${target.baseUrl} redirects every good request: ${inWords(describeReply(reply))} to ${to} on ${id}.`;
  if (addsSlash(reply)) {
    const offered = OPERATION_IDS.filter((one) => target.operations[one]);
    return { check: "redirect", side: "profile", problem, remedy: slashRemedy(offered) };
  }
  return {
    check: "redirect",
    side: "profile",
    problem,
    remedy:
      "Redirects are not followed: an access token must not travel to another place. Name the base URL that answers itself in the profile: baseUrl.",
  };
}

/** Whether an answer redirects to the same path with a slash at its end. */
export function addsSlash({ exchange: { request }, headers, status }: Reply): boolean {
  const { location } = headers;
  if (
    status < 300 ||
    status > 399 ||
    location === undefined ||
    !URL.canParse(location, request.url)
  ) {
    return false;
  }
  const [from, to] = [new URL(request.url), new URL(location, request.url)];
  return to.origin === from.origin && to.pathname === `${from.pathname}/`;
}

/** What to add to the profile where paths end with a slash. */
export function slashRemedy(ids: readonly OperationId[]): string {
  const lines = ids.map((id) => `${id}: { path: "${OPERATIONS[id].path}/" }`);
  return `Its paths end with a slash. Say so in the profile, below operations: ${lines.join(", ")}. Or name its OpenAPI document, if that has the slashes: openapi.`;
}

/**
 * Finds the check that a good token fails. A receiver answers the first check that fails. So the good
 * token fails at the first check for which a deliberately broken token gets the same answer.
 */
async function whichCheck(
  session: Session,
  { id, reply }: Refused,
  primary: string | undefined,
): Promise<SetupFault> {
  const { target } = session;
  const said = `Every good token is refused (${inWords(describeReply(reply))} on ${id})`;
  const sooner = senderConstrained(reply, said) ?? routeInBaseUrl(target, said);
  if (sooner) return sooner;
  if (target.issued) return issuedTokenRefused(session, { id, reply }, said);
  const kid = target.testIssuer.key.kid;
  const all = `the key ${kid} of jwks.json, the issuer ${target.testIssuer.url}, the audience ${target.audience} and the subject ${target.subject}`;
  const missing = reply.status === 404 || reply.status === 405;
  if (OPERATIONS[id].writes || !(missing || [400, 401, 403].includes(reply.status))) {
    const remedy = `Make the deployment trust ${all}.`;
    return { check: "key", side: "deployment", problem: `${said}.`, remedy };
  }
  const broken = brokenTokens(target, said, missing ? undefined : all);
  for (const [mutation, problem] of broken) {
    const answer = await sendBroken(session, id, primary, mutation);
    if (answer && fingerprint(answer) === fingerprint(reply)) return problem;
  }
  if (missing)
    return OPERATIONS[id].organization ? noOrganization(primary) : nothingThere(target, said);
  return {
    check: "subject",
    side: "deployment",
    problem: `${said}, though not for its signature, issuer, audience or expiry.`,
    remedy: `Allow the subject ${target.subject} to use the routes, or name one that may in the profile: subject.`,
  };
}

/**
 * The tokens that each fail one check, in the order of the checks, with the fault that a good token answered alike has.
 * @param said how the good token was refused
 * @param trusted what the deployment must trust; `undefined` where the answer says that there is no such route
 */
function brokenTokens(
  target: Target,
  said: string,
  trusted: string | undefined,
): readonly (readonly [InvalidMutation, SetupFault])[] {
  const forged: SetupFault =
    trusted === undefined
      ? nothingThere(target, said)
      : {
          check: "key",
          side: "deployment",
          problem: `${said}, exactly as a token with a forged signature is: the deployment does not know the test issuer's key, or does not say which check failed.`,
          remedy: `Make the deployment trust ${trusted}.`,
        };
  return [
    [forgedSignature, forged],
    [
      untrustedIssuer,
      {
        check: "issuer",
        side: "deployment",
        problem: `${said}, exactly as a token of an unknown issuer is: the deployment does not trust ${target.testIssuer.url}.`,
        remedy:
          "Register that issuer with the deployment, or name the one it trusts in the profile: `testIssuer.url`.",
      },
    ],
    [
      otherAudience,
      {
        check: "audience",
        side: "profile",
        problem: `${said}, exactly as a token for another audience is: ${target.audience} is not the deployment's own base URL.`,
        remedy: "Name the audience that it expects in the profile: audience.",
      },
    ],
    [
      expired,
      {
        check: "expiry",
        side: "deployment",
        problem: `${said}, exactly as an expired token is.`,
        remedy: "Compare the clocks of both machines.",
      },
    ],
  ];
}

/** The fault where the answers say that there is no such route. */
function nothingThere({ baseUrl }: Target, said: string): SetupFault {
  return {
    check: "answers",
    side: "profile",
    problem: `There is nothing at ${baseUrl}. ${said}.`,
    remedy: "Check the path of the base URL: the routes, /orgs and so on, are appended to it.",
  };
}

/**
 * The fault where the base URL ends in the first route. Requests for `/orgs` then arrive at the route of a single organization,
 * and the audience is another one than the deployment's.
 */
function routeInBaseUrl({ baseUrl, basePath }: Target, said: string): SetupFault | undefined {
  if (!basePath.endsWith("/orgs")) return undefined;
  return {
    check: "answers",
    side: "profile",
    problem: `The base URL ${baseUrl} ends in /orgs, and the routes, /orgs and so on, are appended to it. ${said}.`,
    remedy: "Leave /orgs out of the base URL, unless the list of organizations is at /orgs/orgs.",
  };
}

/** The fault where tokens are issued: what the contract says of their claims explains it, where it says something. */
function issuedTokenRefused(session: Session, refused: Refused, said: string): SetupFault {
  const { testIssuer, audience } = session.target;
  const issuer = testIssuer.url || "its issuer";
  const examined = examinedClaims(session, refused);
  const failed = examined.flatMap(({ part, outcome }) =>
    outcome.is === "fails" ? [`${part}: ${failureInWords(outcome)}`] : [],
  );
  if (failed.length > 0) {
    return {
      check: "audience",
      side: "deployment",
      problem: `${said}. ${issuer} has issued it, and by the contract a receiver rejects it. ${failed.join("; ")}.`,
      remedy:
        "Have such tokens issued as the contract says, or name in the profile what differs: audience, `claimsNamespace`.",
    };
  }
  const open = examined.flatMap(({ part, outcome }) =>
    outcome.is === "open" && isOfContract(outcome.gap)
      ? [`${part}: ${gapInWords(outcome.gap)}`]
      : [],
  );
  const whether =
    open.length > 0
      ? ` The contract leaves open whether a receiver takes this in it. ${open.join("; ")}.`
      : "";
  return {
    check: "audience",
    side: "deployment",
    problem: `${said}, though ${issuer} has issued it.${whether}`,
    remedy: `Compare its claims (\`orgsync-conformance token --client <name>\`, or \`decode\`) with what the receiver expects: \`aud\` must be ${audience}, and \`iss\` an issuer that it trusts.`,
  };
}

/** What the contract says of the claims of a refused token. The record has no signature; local policy is not known. */
function examinedClaims(
  { target, clockOffsetSeconds = 0 }: Session,
  { id, reply }: Refused,
): Examined[] {
  const { token } = reply.exchange.request;
  if (!token?.claims) return [];
  const now = Date.parse(reply.exchange.startedAt) / 1000;
  const clocks = [now, now + clockOffsetSeconds];
  const known = knownOf(target, { earliest: Math.min(...clocks), latest: Math.max(...clocks) });
  return examineToken(known, recordedToken(token)).filter(
    ({ part, operation }) =>
      ["issuer", "audience", "expiry", "claims"].includes(part) || operation === id,
  );
}

async function sendBroken(
  session: Session,
  id: OperationId,
  primary: string | undefined,
  mutation: InvalidMutation,
): Promise<Reply | undefined> {
  const { target } = session;
  const operation = OPERATIONS[id];
  const organization = primary ?? target.organizations.primary;
  const uuid = (label: string): string => seededUuid(session.seed, label);
  const { request, token, note } = await composeRequest({
    context: {
      target,
      operation,
      form: likelyForm(session.clockOffsetSeconds ?? 0, target.bindingClaim !== undefined),
      organization,
      otherOrganization: target.organizations.other,
      uuid,
    },
    place: { organization, changeId: uuid("change") },
    mutation,
  });
  return session.send({
    caseId: `setup/${mutation.name}`,
    operation: id,
    spec: request,
    token,
    tokenNote: note,
  });
}

/** The fault where every route below the organization answers 404. */
export function noOrganization(primary: string | undefined): SetupFault {
  return {
    check: "primary",
    side: "deployment",
    problem: `The deployment knows no organization ${primary}: every route below it answers 404.`,
    remedy: "Create it there, or name one that exists in the profile: `organizations.primary`.",
  };
}

/** Two answers that differ only in ids, times and numbers have the same fingerprint. */
function fingerprint(reply: Reply): string {
  const challenge = reply.headers["www-authenticate"] ?? "";
  const said = `${challenge}\n${reply.body}`.replace(/[\da-f-]{8,}|\d+/gi, "#");
  return `${reply.status}\n${said}`;
}

/** How much of an answer is searched: error pages are short. */
const SEARCHED = 4000;
/** A challenge of RFC 9449 §7.1, or the words of an answer to a good token without a proof. */
const DEMANDS_PROOF = /\bDPoP\b/i;
/** The words of nginx, and names that RFC 8705 uses. */
const DEMANDS_CERTIFICATE =
  /\b(?:m(?:utual[ -])?TLS|(?:client|SSL) certificate|certificate-bound|x5t#S256)\b/i;

/**
 * The fault where the answer to a good token says that the client must prove that the token is its own; `undefined`
 * where it does not.
 * @param said how the good token was refused
 */
function senderConstrained(reply: Reply, said: string): SetupFault | undefined {
  const challenge = reply.headers["www-authenticate"] ?? "";
  const words = `${challenge} ${reply.body.slice(0, SEARCHED)}`;
  // A deployment that accepts both kinds of tokens has a challenge for each.
  if (DEMANDS_PROOF.test(words) && !/\bBearer\b/i.test(challenge)) {
    return {
      check: "token",
      side: "deployment",
      problem: `${said}, and the answer demands DPoP (RFC 9449), a proof with each request.`,
      remedy:
        "The contract has bearer tokens: accept tokens of the test issuer with the scheme Bearer and without a proof.",
    };
  }
  if (DEMANDS_CERTIFICATE.test(words)) {
    return {
      check: "token",
      side: "deployment",
      problem: `${said}, and the answer demands a client certificate (RFC 8705).`,
      remedy:
        "Name one in the profile, `request.cert` and `request.key`; if tokens must be bound to it, put its `cnf` claim into `testIssuer.claims`.",
    };
  }
  return undefined;
}
