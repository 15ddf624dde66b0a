import { shown, violation } from "../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import type { MetadataDocument } from "../../src/authorization-server/protocol/metadata.ts";
import { clientsOf, forEach, ofServer } from "../../src/authorization-server/rule.ts";
import { isEqualUpToSlash, isLoopbackHost } from "../../src/lib/uri.ts";
import { endCase, Finding } from "../../src/probe/finding.ts";
import { phrase, valueFact } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Client } from "../../src/profile/authorization-server.ts";
import { mediaTypeFault } from "./checks/response-checks.ts";

const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const;

/** Defaults of absent members, RFC 8414 section 2. */
const DEFAULTS: Readonly<Record<string, readonly string[]>> = {
  token_endpoint_auth_methods_supported: ["client_secret_basic"],
  grant_types_supported: ["authorization_code", "implicit"],
  // It is REQUIRED, and means nothing where it is absent.
  response_types_supported: [],
};

export const rule: Rule = defineRule({
  side: "authorization-server",
  id: "authorization-server.metadata",
  title: "The authorization server's metadata is consistent and matches its behaviour",
  level: "SHOULD",
  verifies: [
    "authentication.own-urls",
    "rfc8414.issuer",
    "rfc8414.https",
    "rfc8414.media-type",
    "rfc8414.supported",
  ],
  cases: ofServer({ endpoint: "metadata" }, (server) => [
    {
      id: "issuer",
      title: "`issuer` is the issuer that the metadata was requested for",
      requirement: "rfc8414.issuer",
      grounds: {
        why: "a client that discovers a server by its issuer must refuse the metadata of another one",
        source: "RFC 8414 section 3.3",
      },
      judge: judgeIssuer,
    },
    {
      id: "documents-agree",
      title: "Its documents of RFC 8414 and OpenID Connect name the same endpoints",
      requirement: "rfc8414.issuer",
      grounds: { source: "RFC 9068 section 4" },
      judge: judgeAgreement,
    },
    {
      id: "https",
      title: "Its endpoints use https",
      requirement: "rfc8414.https",
      grounds: { source: "RFC 8414 section 2" },
      judge: judgeHttps,
    },
    {
      id: "media-type",
      title: "It is served as JSON",
      requirement: "rfc8414.media-type",
      grounds: {
        why: "clients that look at the media type do not read it",
        source: "RFC 8414 section 3.2",
      },
      judge: judgeMediaType,
    },
    ...forEach(server.clients, {
      id: "authentication-method",
      title: "The client's authentication method is listed",
      requirement: "rfc8414.supported",
      grounds: { source: "RFC 8414 section 2" },
      judge: (probe, client) =>
        judgeListed(probe, "token_endpoint_auth_methods_supported", client.authentication, client),
    }),
    ...forEach(server.clients, {
      id: "grant",
      title: "The flow of the client is listed",
      requirement: "rfc8414.supported",
      grounds: { source: "RFC 8414 section 2" },
      judge: (probe, client) => judgeListed(probe, "grant_types_supported", client.flow, client),
    }),
    ...forEach(clientsOf(server, "authorization_code"), {
      id: "response-type",
      title: "The response type `code` is listed",
      requirement: "rfc8414.supported",
      grounds: {
        why: "a client that reads the metadata would not start the flow",
        source: "RFC 8414 section 2",
      },
      judge: (probe, client) => judgeListed(probe, "response_types_supported", "code", client),
    }),
    {
      id: "pkce",
      title: "If it lists PKCE methods, S256 is among them",
      requirement: "rfc8414.supported",
      grounds: { source: "RFC 9700 section 2.1.1" },
      judge: (probe) => judgeListed(probe, "code_challenge_methods_supported", "S256"),
    },
  ]),
});

async function documentOf(probe: ServerProbe): Promise<MetadataDocument> {
  const { documents, missed } = await probe.endpoints();
  const [document] = documents;
  if (document) return document;
  const { authorizationUrl, tokenUrl, jwksUrl } = probe.server;
  if ([authorizationUrl, tokenUrl, jwksUrl].some((url) => url !== undefined)) {
    const reason = phrase`it publishes no metadata, and the profile names its endpoints`;
    return endCase(Finding.notApplicable(reason));
  }
  const tried = missed.map(({ url, answer }) => `${url}: ${answer}`).join("; ");
  return endCase(Finding.inconclusive(phrase`no metadata was found (${tried})`));
}

async function judgeIssuer(probe: ServerProbe): Promise<Finding> {
  const { server } = probe;
  const { metadata, exchange } = await documentOf(probe);
  const evidence = { probes: [exchange] };
  const { issuer: said } = metadata;
  if (said === server.issuer) return Finding.pass(evidence);
  if (isEqualUpToSlash(said, server.issuer)) {
    // The profile may be wrong too, unless the tokens agree with it. Client credentials first, because they need no consent.
    const [client] = [...clientsOf(server, "client_credentials"), ...server.clients];
    const token = client && (await probe.token(client));
    if (token?.claims["iss"] === server.issuer) {
      const actual = phrase`only the slash at the end differs: ${valueFact(shown(said))}`;
      const expected = phrase`issuer is ${server.issuer}, as in its tokens`;
      return violation(actual, expected, { ...evidence, controls: [token.exchange] });
    }
    return Finding.inconclusive(
      phrase`only the slash at the end differs; set \`authorizationServer.issuer\` to the metadata's issuer: ${said}`,
      evidence,
    );
  }
  const expected = phrase`issuer is ${server.issuer}, as in the profile`;
  return { kind: "fail", expected, actual: phrase`issuer is ${valueFact(shown(said))}`, evidence };
}

async function judgeAgreement(probe: ServerProbe): Promise<Finding> {
  const first = await documentOf(probe);
  const { documents } = await probe.endpoints();
  const others = documents.slice(1);
  if (others.length === 0) return Finding.notApplicable(phrase`there is one document`);
  const members = ["issuer", ...ENDPOINTS];
  for (const other of others) {
    const differing = members.find(
      (name) =>
        first.metadata[name] !== undefined &&
        other.metadata[name] !== undefined &&
        first.metadata[name] !== other.metadata[name],
    );
    if (differing === undefined) continue;
    const expected = phrase`its documents name the same issuer and endpoints`;
    const actual = phrase`${differing} differs: ${valueFact(shown(first.metadata[differing]))} at ${valueFact(first.url)}, ${valueFact(shown(other.metadata[differing]))} at ${valueFact(other.url)}`;
    return violation(actual, expected, { probes: documents.map(({ exchange }) => exchange) });
  }
  return Finding.pass({ probes: [first.exchange] });
}

async function judgeHttps(probe: ServerProbe): Promise<Finding> {
  const { metadata, exchange } = await documentOf(probe);
  const evidence = { probes: [exchange] };
  for (const name of ENDPOINTS) {
    const url = metadata[name];
    if (typeof url !== "string" || !URL.canParse(url)) continue;
    const { protocol, hostname } = new URL(url);
    if (protocol === "https:" || isLoopbackHost(hostname)) continue;
    const expected = phrase`${name} is an https URL`;
    return violation(phrase`${valueFact(shown(url))}`, expected, evidence);
  }
  return Finding.pass(evidence);
}

async function judgeMediaType(probe: ServerProbe): Promise<Finding> {
  await documentOf(probe);
  const { documents } = await probe.endpoints();
  for (const document of documents) {
    const actual = mediaTypeFault(document);
    if (actual === undefined) continue;
    const expected = phrase`\`Content-Type\` is application/json`;
    return violation(phrase`${actual}`, expected, { probes: [document.exchange] });
  }
  return Finding.pass({ probes: documents.map(({ exchange }) => exchange) });
}

/** @param client a client whose token must show that the server accepts the word */
async function judgeListed(
  probe: ServerProbe,
  member: string,
  word: string,
  client?: Client,
): Promise<Finding> {
  const { metadata, exchange } = await documentOf(probe);
  const evidence = { probes: [exchange] };
  if (client) await probe.token(client);
  const list = metadata[member] ?? DEFAULTS[member];
  if (list === undefined) return Finding.notApplicable(phrase`there is no ${member}`);
  if (Array.isArray(list) && list.includes(word)) return Finding.pass(evidence);
  const expected = phrase`${member} lists ${word}, which the server accepts`;
  if (metadata[member] === undefined && DEFAULTS[member]?.length === 0)
    return { kind: "fail", expected, actual: phrase`there is no ${member}`, evidence };
  const absent = metadata[member] === undefined ? "; it is absent, which means" : " is";
  const actual = phrase`${member}${absent} ${valueFact(shown(list))}`;
  return { kind: "fail", expected, actual, evidence };
}
