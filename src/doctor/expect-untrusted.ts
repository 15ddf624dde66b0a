import { OPERATIONS } from "../contract/operations.ts";
import { createHttpClient, type HttpClient } from "../http/client.ts";
import type { Reply } from "../http/exchange.ts";
import { mapTexts } from "../lib/json.ts";
import { mintMutated } from "../mutations/mint.ts";
import { forgedSignature } from "../mutations/token/signature.ts";
import { present } from "../probe/compose.ts";
import { goodForms, likelyForm, typsFor } from "../probe/controls/forms.ts";
import { inWords } from "../probe/phrase.ts";
import { describeReply, reception } from "../probe/reception.ts";
import { buildRequest, seededUuid } from "../probe/request.ts";
import type { Target } from "../profile/target.ts";
import { knock } from "../setup/reach.ts";
import { draftToken, type TokenDraft, type TokenForm } from "../tokens/draft.ts";
import { mintGood } from "../tokens/mint.ts";

export interface TrustFinding {
  readonly baseUrl: string;
  /** `iss` of the test issuer. */
  readonly issuer: string;
  /**
   * - `untrusted`: good tokens of the test issuer are refused in the same way as forged ones
   * - `trusted`: a good token was accepted, or was answered differently from a forged one
   * - `unknown`: the answers do not show it
   * - `unreachable`: there was no answer
   */
  readonly state: "untrusted" | "trusted" | "unknown" | "unreachable";
  readonly detail: string;
  readonly remedy?: string;
  /** Number of requests sent, all of them reads. */
  readonly requests: number;
}

type Found = Pick<TrustFinding, "state" | "detail" | "remedy">;

const REMEDY =
  "Take the test issuer out of the issuers that this deployment trusts: anyone with its private keys has access.";
/** A difference counts when it shows this often. */
const TIMES = 2;

/**
 * Sends good tokens of the test issuer for this base URL, one of each form that receivers accept, beside forged tokens
 * that differ only in the signature. All requests list organizations; nothing is written.
 * @param named the target of the profile, with the base URL of the deployment that must not trust the issuer
 * @throws SuiteError when the proxy variables of the environment cannot be used
 * @throws Interrupted when the signal aborts
 */
export async function expectUntrusted(named: Target, signal?: AbortSignal): Promise<TrustFinding> {
  // The audience of another deployment proves nothing about this one.
  const target = { ...named, audience: named.baseUrl };
  const http = createHttpClient(target, { concurrency: 1, signal });
  try {
    const found = await look(target, http);
    const { baseUrl, testIssuer } = target;
    const finding = { baseUrl, issuer: testIssuer.url, ...found, requests: http.requests };
    return mapTexts(finding, http.redact) as TrustFinding;
  } finally {
    await http.close();
  }
}

async function look(target: Target, http: HttpClient): Promise<Found> {
  const knocked = await knock(target, http);
  if ("fault" in knocked) {
    return { state: "unreachable", detail: knocked.fault.problem, remedy: knocked.fault.remedy };
  }
  const tokenless = await send(target, http, "no-token");
  if (reception(tokenless) === "accepted") {
    return unknown(`without any token it answers ${inWords(describeReply(tokenless))}`);
  }
  const offset = knocked.clockOffsetSeconds ?? 0;
  const forms = goodForms(likelyForm(offset, false), offset, [false], typsFor(target)).filter(
    ({ scopes }) => scopes === "all",
  );
  let alike: Reply | undefined;
  for (const form of forms) {
    let apart: readonly [good: Reply, forged: Reply] | undefined;
    for (let time = 0; time < TIMES; time++) {
      const good = await send(target, http, "good", await mintGood(draft(target, form)));
      if (reception(good) === "accepted") {
        return trusted(`a good token is answered ${inWords(describeReply(good))}`);
      }
      const forged = await send(target, http, "forged", await forge(target, form));
      for (const reply of [good, forged]) {
        if (reception(reply) !== "rejected")
          return unknown(`it answers ${inWords(describeReply(reply))}`);
      }
      apart = good.status === forged.status ? undefined : [good, forged];
      if (!apart) {
        alike ??= good;
        break;
      }
    }
    if (apart) {
      const [good, forged] = apart.map((one) => inWords(describeReply(one)));
      return trusted(
        `a good token is answered ${good}, one with a forged signature ${forged}, so the deployment knows its key`,
      );
    }
  }
  if (alike?.status === 404) {
    return unknown("it answers 404 to every token; is that the path of its base URL?");
  }
  return {
    state: "untrusted",
    detail: `a good token is refused in the same way as a forged one: ${alike ? inWords(describeReply(alike)) : ""}`,
  };
}

function trusted(detail: string): Found {
  return { state: "trusted", detail, remedy: REMEDY };
}

function unknown(detail: string): Found {
  return { state: "unknown", detail };
}

const operation = OPERATIONS.listOrganizations;

function draft(target: Target, form: TokenForm): TokenDraft {
  return draftToken(target, operation, form, undefined);
}

async function forge(target: Target, form: TokenForm): Promise<string> {
  const { token } = await mintMutated(draft(target, form), forgedSignature, {
    target,
    operation,
    form,
    organization: undefined,
    otherOrganization: undefined,
    uuid: (label) => seededUuid(0, label),
  });
  return token;
}

function send(target: Target, http: HttpClient, what: string, token?: string): Promise<Reply> {
  const { spec } = buildRequest(target, operation, {});
  return http.send(present(spec, token === undefined ? [] : [`Bearer ${token}`]), {
    caseId: `doctor/expect-untrusted-${what}`,
    token,
  });
}
