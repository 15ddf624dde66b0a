import type { HttpClient } from "../http/client.ts";
import type { Fault, Reply } from "../http/exchange.ts";
import { proxyFor } from "../http/proxies.ts";
import { SuiteError } from "../lib/errors.ts";
import { inWords } from "../probe/phrase.ts";
import { describeReply } from "../probe/reception.ts";
import type { Target } from "../profile/target.ts";
import type { Responsible, SetupFault } from "./fault.ts";
import { explainIncomplete } from "./incomplete-answer.ts";

/** `Date` has a resolution of one second. */
const DATE_GRAIN_MS = 1000;

/**
 * Sends the first request of a run, without credentials, to learn whether the deployment answers and
 * what time it has.
 * @returns seconds that the deployment's clock is ahead, by its `Date` header; `undefined` without
 * one
 * @throws SuiteError when there is no HTTP response
 * @throws Interrupted
 */
export async function preflight(target: Target, http: HttpClient): Promise<number | undefined> {
  const found = await knock(target, http);
  if ("fault" in found)
    throw new SuiteError("ERR_TARGET_UNREACHABLE", found.fault.problem, {
      hint: found.fault.remedy,
    });
  return found.clockOffsetSeconds;
}

/**
 * Like `preflight`, but returns a fault instead of throwing SuiteError.
 * @throws Interrupted
 */
export async function knock(
  target: Target,
  http: HttpClient,
): Promise<{ readonly clockOffsetSeconds: number | undefined } | { readonly fault: SetupFault }> {
  const reply = await http.send(
    { method: "GET", path: `${target.basePath}/orgs`, headers: [] },
    { caseId: "preflight/reachable" },
  );
  const { fault } = reply.exchange;
  if (!fault) return { clockOffsetSeconds: clockOffsetSeconds(reply) };
  if (fault.body) {
    const { missing, remedy } = explainIncomplete(fault.body);
    const problem = http.redact(
      `${target.baseUrl} does not complete its answer ${fault.status}: ${missing}`,
    );
    return { fault: { check: "reachable", side: "deployment", problem, remedy } };
  }
  const [side, remedy] = whatToChange(fault, target);
  return {
    fault: {
      check: fault.kind === "tls" ? "tls" : "reachable",
      side,
      problem: http.redact(`${target.baseUrl} cannot be reached: ${inWords(describeReply(reply))}`),
      remedy,
    },
  };
}

/** Remedies by the error code, which is part of the message. */
const TLS_REMEDIES: readonly (readonly [RegExp, Responsible, string])[] = [
  [
    /CERT_HAS_EXPIRED/,
    "deployment",
    "Its certificate has expired: renew it; if it has not, this machine's clock is ahead.",
  ],
  [
    /CERT_NOT_YET_VALID/,
    "deployment",
    "Its certificate is not valid yet; or this machine's clock is behind.",
  ],
  [
    /ALTNAME|HOSTNAME_MISMATCH/,
    "profile",
    "Its certificate is for another host: name that one in the profile, baseUrl, or give the deployment a certificate for this one.",
  ],
  [
    /PROTOCOL_VERSION|HANDSHAKE_FAILURE|NO_PROTOCOLS|UNSUPPORTED_PROTOCOL/i,
    "deployment",
    "The two sides share no version or cipher of TLS: the deployment must offer TLS 1.2 or 1.3.",
  ],
];

function whatToChange(
  { kind, message }: Fault,
  { origin }: Target,
): readonly [Responsible, string] {
  const proxy = proxyFor(origin);
  const proxied = proxy ? `, and the proxy that ${proxy.variable} names` : "";
  switch (kind) {
    case "tls": {
      if (/WRONG_VERSION_NUMBER|wrong version number|packet length/i.test(message)) {
        const plain = origin.replace("https:", "http:");
        return ["profile", `The server does not speak TLS there; is the URL ${plain}?`];
      }
      const known = TLS_REMEDIES.find(([code]) => code.test(message));
      return known
        ? [known[1], known[2]]
        : [
            "profile",
            "If the certificate is from an authority of your own, name its file in the profile: request.ca.",
          ];
    }
    case "timeout":
      return [
        "network",
        `Check the base URL, and that no firewall is in between${proxied}; request.timeoutMs in the profile gives it more time.`,
      ];
    case "reset":
    case "malformed":
      return origin.startsWith("http:")
        ? ["profile", `Check the base URL: if TLS is spoken there, it is ${secure(origin)}.`]
        : ["network", `Check the base URL, and that an HTTP server listens there${proxied}.`];
    default:
      if (message.startsWith("ERR_PROXY_CREDENTIALS")) {
        return [
          "network",
          `The proxy wants a user and password: put them into the environment variable ${proxy?.variable}, http://user:password@host:port, special characters percent-encoded.`,
        ];
      }
      if (message.startsWith("ERR_PROXY_TUNNEL")) {
        return [
          "network",
          `Check the environment variable ${proxy?.variable}, and that the proxy allows CONNECT to that host and port; list the host in NO_PROXY to connect directly.`,
        ];
      }
      return /ENOTFOUND|EAI_AGAIN/.test(message)
        ? ["profile", `Check the base URL: no host of that name is known here${proxied}.`]
        : [
            "network",
            `Check the base URL, and that the deployment is running at its port${proxied}.`,
          ];
  }
}

function secure(origin: string): string {
  return origin.replace("http:", "https:");
}

/**
 * `undefined` without a date. 0 where the header fits this machine's clock at some moment between
 * sending and receiving.
 */
function clockOffsetSeconds({ headers, exchange }: Reply): number | undefined {
  const ageSeconds = /^\d{1,9}$/.test(headers["age"] ?? "") ? Number(headers["age"]) : 0;
  const date = Date.parse(headers["date"] ?? "") + ageSeconds * 1000;
  if (Number.isNaN(date)) return undefined;
  const sent = Date.parse(exchange.startedAt);
  const least = date - (sent + exchange.durationMs);
  const most = date + DATE_GRAIN_MS - sent;
  return least <= 0 && most >= 0 ? 0 : Math.round((least + most) / 2000);
}
