import type { Reply } from "../http/exchange.ts";
import { proxyFor } from "../http/proxies.ts";
import type { Target } from "../profile/target.ts";
import type { Responsible, SetupFault } from "./fault.ts";

/** What advice about a connection depends on: the profile, and the environment. */
interface Place {
  readonly origin: string;
  readonly host: string;
  readonly port: string;
  readonly hasTls: boolean;
  readonly hasAuthority: boolean;
  readonly hasCertificate: boolean;
  /** The variable of the environment that names the proxy for it; `undefined` where there is none. */
  readonly proxy: string | undefined;
  /** A phrase for what else to check; empty where no proxy is in between. */
  readonly proxies: string;
}

/** Who has to change what. */
export type Advice = Pick<SetupFault, "side" | "remedy">;

interface Row {
  /** The kind of the fault, a blank, and its code; for an answer, `answer`. */
  readonly when: RegExp;
  /** Default: always. */
  readonly only?: (place: Place) => boolean;
  readonly side: Responsible;
  readonly remedy: (place: Place) => string;
}

/** The first row that fits counts. Codes are those of OpenSSL, Node, undici and the system. */
const ADVICE: readonly Row[] = [
  {
    when: /^tls .*(?:WRONG_VERSION_NUMBER|PACKET_LENGTH)/,
    side: "profile",
    remedy: ({ origin }) =>
      `The server does not speak TLS there; is the URL ${origin.replace("https:", "http:")}?`,
  },
  {
    when: /NO_APPLICATION_PROTOCOL|ANSWERED_IN_HTTP2/,
    side: "deployment",
    remedy: () =>
      "The server speaks only HTTP/2 there, and the suite HTTP/1.1: let it offer both, or name the URL of a gateway that does in the profile, baseUrl.",
  },
  {
    when: /^tls CERT_HAS_EXPIRED/,
    side: "deployment",
    remedy: () =>
      "Its certificate has expired: renew it; if it has not, this machine's clock is ahead.",
  },
  {
    when: /^tls CERT_NOT_YET_VALID/,
    side: "deployment",
    remedy: () => "Its certificate is not valid yet; or this machine's clock is behind.",
  },
  {
    when: /^tls .*(?:ALTNAME|HOSTNAME_MISMATCH)/,
    side: "profile",
    remedy: ({ host }) =>
      `Its certificate is for another host: name that one in the profile, baseUrl, or give the deployment a certificate for ${host}.`,
  },
  {
    when: /^tls .*UNRECOGNIZED_NAME/,
    side: "profile",
    remedy: ({ host }) =>
      `The server has no host of the name ${host}: name the one that it serves in the profile, baseUrl.`,
  },
  {
    when: /^tls UNABLE_TO_VERIFY_LEAF_SIGNATURE/,
    only: ({ hasAuthority }) => hasAuthority,
    side: "deployment",
    remedy: () =>
      "The server sends its own certificate alone, and `request.ca` does not hold the authority that issued it. If an intermediate authority did, let the server send that certificate too; otherwise name the file of the right authority in `request.ca`.",
  },
  {
    when: /^tls UNABLE_TO_VERIFY_LEAF_SIGNATURE/,
    side: "deployment",
    remedy: () =>
      "The server sends its own certificate alone, and no authority that this machine trusts issued it. If an intermediate authority did, let the server send that certificate too; if it is an authority of your own, name its file in the profile: `request.ca`.",
  },
  {
    when: /^tls UNABLE_TO_GET_ISSUER_CERT$/,
    only: ({ hasAuthority }) => hasAuthority,
    side: "profile",
    remedy: () =>
      "`request.ca` holds an intermediate authority only: add the root authority that issued its certificate to the file.",
  },
  {
    when: /^tls (?:UNABLE_TO_GET_ISSUER_CERT|SELF_SIGNED_CERT_IN_CHAIN)/,
    only: ({ hasAuthority }) => hasAuthority,
    side: "profile",
    remedy: () =>
      "`request.ca` is another authority: name the file of the root that issued the last certificate that the server sends.",
  },
  {
    when: /^tls DEPTH_ZERO_SELF_SIGNED_CERT/,
    only: ({ hasAuthority }) => hasAuthority,
    side: "profile",
    remedy: () =>
      "The server's certificate is signed by itself, and `request.ca` holds another one: name the file of that very certificate.",
  },
  {
    when: /^tls (?:UNABLE_TO_GET_ISSUER_CERT|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT)/,
    side: "profile",
    remedy: () =>
      "If the certificate is from an authority of your own, or signed by itself, name the file of that authority or certificate in the profile: `request.ca`.",
  },
  {
    when: /^tls .*(?:CERTIFICATE_REQUIRED|ALERT_(?:BAD_CERTIFICATE|CERTIFICATE_|UNKNOWN_CA|ACCESS_DENIED|DECRYPT_ERROR))/,
    only: ({ hasCertificate }) => hasCertificate,
    side: "profile",
    remedy: () =>
      "The server refuses the client certificate of `request.cert`: name one in the profile that is valid and that an authority issued which the server trusts for clients.",
  },
  {
    when: /^tls .*(?:CERTIFICATE_REQUIRED|ALERT_(?:BAD_CERTIFICATE|CERTIFICATE_|UNKNOWN_CA|ACCESS_DENIED))/,
    side: "profile",
    remedy: () =>
      "The server demands a client certificate: name its file and that of its key in the profile, `request.cert` and `request.key`.",
  },
  {
    when: /^tls .*(?:PROTOCOL_VERSION|NO_PROTOCOLS|UNSUPPORTED_PROTOCOL|NO_SHARED_CIPHER|INAPPROPRIATE_FALLBACK)/,
    side: "deployment",
    remedy: () =>
      "The two sides share no version or cipher of TLS: the deployment must offer TLS 1.2 or 1.3.",
  },
  {
    when: /^tls .*HANDSHAKE_FAILURE/,
    side: "deployment",
    remedy: ({ host, hasCertificate }) =>
      `The server broke the handshake off. ${hasCertificate ? "It may refuse the client certificate of request.cert" : "It may demand a client certificate, which the profile names in request.cert and request.key"}, have no certificate for ${host}, or share no cipher with this machine; its log says which.`,
  },
  {
    when: /^tls .*(?:KEY_TOO_SMALL|MD_TOO_WEAK)/,
    side: "deployment",
    remedy: () =>
      "A key or a signature that the server uses is too weak: give it a certificate with an RSA key of at least 2048 bits or an elliptic curve, signed with SHA-256.",
  },
  {
    when: /^tls /,
    side: "deployment",
    remedy: ({ host, port }) =>
      `\`openssl s_client -connect ${host}:${port} -servername ${host}\` shows what the server sends, and why it is not accepted.`,
  },
  {
    when: /^timeout /,
    side: "network",
    remedy: ({ proxies }) =>
      `Check the base URL, and that no firewall is in between${proxies}; \`request.timeoutMs\` in the profile gives it more time.`,
  },
  {
    when: /ANSWERED_IN_TLS|^answer|^(?:reset|cut|malformed) /,
    only: ({ hasTls }) => !hasTls,
    side: "profile",
    remedy: ({ origin }) =>
      `Check the base URL: if TLS is spoken there, it is ${origin.replace("http:", "https:")}.`,
  },
  {
    when: /^reset /,
    side: "network",
    remedy: ({ host, hasCertificate, proxies }) =>
      `Check the base URL, and that an HTTP server listens there${proxies}. A server also closes connections when it has no host of the name ${host}, or ${hasCertificate ? "refuses the client certificate of request.cert." : "demands a client certificate: request.cert and request.key in the profile."}`,
  },
  {
    when: /^(?:cut|malformed) /,
    side: "network",
    remedy: ({ proxies }) => `Check the base URL, and that an HTTP server listens there${proxies}.`,
  },
  {
    when: /ERR_PROXY_CREDENTIALS/,
    side: "network",
    remedy: ({ proxy }) =>
      `The proxy wants a user and password: put them into the environment variable ${proxy}, http://user:password@host:port, special characters percent-encoded.`,
  },
  {
    when: /ERR_PROXY_TUNNEL/,
    side: "network",
    remedy: ({ proxy }) =>
      `Check the environment variable ${proxy}, and that the proxy allows CONNECT to that host and port; list the host in NO_PROXY to connect directly.`,
  },
  {
    when: /ENOTFOUND|EAI_AGAIN/,
    side: "profile",
    remedy: ({ proxies }) => `Check the base URL: no host of that name is known here${proxies}.`,
  },
  {
    when: /ERR_ADDRESS_NOT_PUBLIC/,
    side: "profile",
    remedy: () => "If the target is yours, name its base URL on the command line.",
  },
  {
    when: /^/,
    side: "network",
    remedy: ({ proxies }) =>
      `Check the base URL, and that the deployment is running at its port${proxies}.`,
  },
];

/** What to change where a deployment cannot be connected to, or answers that it wants TLS. */
export function connectionAdvice(reply: Reply, target: Target): Advice {
  const place = placeOf(target);
  const met = `${reply.exchange.fault?.kind ?? "answer"} ${reply.faultCode ?? ""}`;
  const { side, remedy } = ADVICE.find(
    ({ when, only }) => when.test(met) && (only?.(place) ?? true),
  ) as Row;
  return { side, remedy: remedy(place) };
}

function placeOf({ origin, request }: Target): Place {
  const { protocol, hostname, port } = new URL(origin);
  const hasTls = protocol === "https:";
  const proxy = proxyFor(origin)?.variable;
  return {
    origin,
    host: hostname,
    port: port || (hasTls ? "443" : "80"),
    hasTls,
    hasAuthority: request.ca !== undefined,
    hasCertificate: request.cert !== undefined,
    proxy,
    proxies: proxy === undefined ? "" : `, and the proxy that ${proxy} names`,
  };
}

/** What Go, nginx, Apache, Tomcat and others answer with 400 to a request without TLS at a port for TLS. */
const WANTS_TLS =
  /HTTP request (?:was sent )?to (?:an )?HTTPS (?:port|server)|plain HTTP to an SSL|requires TLS/i;
const SEARCHED = 4000;

export function wantsTls({ status, body }: Reply, { origin }: Target): boolean {
  return status === 400 && origin.startsWith("http:") && WANTS_TLS.test(body.slice(0, SEARCHED));
}
