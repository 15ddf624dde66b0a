import type { Metadata, MetadataDocument } from "../../src/authorization-server/metadata.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import { clientOf, defineServerRule, forEach } from "../../src/authorization-server/rule.ts";
import { isLoopbackHost } from "../../src/lib/loopback.ts";
import { endCase } from "../../src/probe/case-end.ts";
import type { Evidence, Finding } from "../../src/probe/finding.ts";
import { phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Rule } from "../../src/probe/rule.ts";

const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const;

/** Defaults of absent members, RFC 8414 section 2. */
const DEFAULTS: Readonly<Record<string, readonly string[]>> = {
  token_endpoint_auth_methods_supported: ["client_secret_basic"],
  grant_types_supported: ["authorization_code", "implicit"],
};

export const rule: Rule = defineServerRule({
  id: "authorization-server.metadata",
  title: "The authorization server's metadata is consistent and matches its behaviour",
  level: "SHOULD",
  verifies: ["authentication.own-urls", "rfc8414.issuer", "rfc8414.https", "rfc8414.supported"],
  cases: (server) => [
    {
      id: "issuer",
      title: "`issuer` is the issuer that the metadata was requested for",
      endpoint: "metadata",
      requirement: "rfc8414.issuer",
      why: "a client that discovers a server by its issuer must refuse the metadata of another one",
      source: "RFC 8414 section 3.3",
    },
    {
      id: "documents-agree",
      title: "Its documents of RFC 8414 and OpenID Connect name the same endpoints",
      endpoint: "metadata",
      requirement: "rfc8414.issuer",
      source: "RFC 9068 section 4",
    },
    {
      id: "https",
      title: "Its endpoints use https",
      endpoint: "metadata",
      requirement: "rfc8414.https",
      source: "RFC 8414 section 2",
    },
    ...forEach(server.clients, {
      id: "authentication-method",
      title: "The client's authentication method is listed",
      endpoint: "metadata",
      requirement: "rfc8414.supported",
      source: "RFC 8414 section 2",
    }),
    ...forEach(server.clients, {
      id: "grant",
      title: "The flow of the client is listed",
      endpoint: "metadata",
      requirement: "rfc8414.supported",
      source: "RFC 8414 section 2",
    }),
    {
      id: "pkce",
      title: "If it lists PKCE methods, S256 is among them",
      endpoint: "metadata",
      requirement: "rfc8414.supported",
      source: "RFC 9700 section 2.1.1",
    },
  ],
  async probe(probe, testCase) {
    const document = await documentOf(probe);
    const { metadata } = document;
    const evidence: Evidence = { probes: [document.exchange] };
    switch (testCase.id) {
      case "issuer":
        return issuer(probe, metadata, evidence);
      case "documents-agree":
        return agreement(probe, evidence);
      case "https":
        return https(metadata, evidence);
      case "pkce":
        return listed(metadata, "code_challenge_methods_supported", "S256", evidence);
      default: {
        const client = clientOf(probe.server, testCase);
        await probe.token(client);
        return testCase.id.startsWith("grant@")
          ? listed(metadata, "grant_types_supported", client.flow, evidence)
          : listed(
              metadata,
              "token_endpoint_auth_methods_supported",
              client.authentication,
              evidence,
            );
      }
    }
  },
});

async function documentOf(probe: ServerProbe): Promise<MetadataDocument> {
  const { documents, missed } = await probe.endpoints();
  const [document] = documents;
  if (document) return document;
  const { authorizationUrl, tokenUrl, jwksUrl } = probe.server;
  if ([authorizationUrl, tokenUrl, jwksUrl].some((url) => url !== undefined)) {
    return endCase({
      kind: "not-applicable",
      reason: phrase`it publishes no metadata, and the profile names its endpoints`,
    });
  }
  const tried = missed.map(({ url, answer }) => `${url}: ${answer}`).join("; ");
  return endCase({ kind: "inconclusive", reason: phrase`no metadata was found (${tried})` });
}

function issuer({ server }: ServerProbe, metadata: Metadata, evidence: Evidence): Finding {
  const { issuer: said } = metadata;
  if (said === server.issuer) return { kind: "pass", evidence };
  const slashed = typeof said === "string" && withoutSlash(said) === withoutSlash(server.issuer);
  if (slashed) {
    return {
      kind: "inconclusive",
      reason: phrase`only the slash at the end differs; set authorizationServer.issuer to the metadata's issuer: ${said}`,
      evidence,
    };
  }
  const expected = phrase`issuer is ${server.issuer}, as in the profile`;
  return { kind: "fail", expected, actual: phrase`issuer is ${valueFact(shown(said))}`, evidence };
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}

async function agreement(probe: ServerProbe, evidence: Evidence): Promise<Finding> {
  const { documents } = await probe.endpoints();
  const [first, ...others] = documents;
  if (!first || others.length === 0) {
    return { kind: "not-applicable", reason: phrase`there is one document` };
  }
  const members = ["issuer", ...ENDPOINTS];
  for (const other of others) {
    const differing = members.find(
      (name) =>
        first.metadata[name] !== undefined &&
        other.metadata[name] !== undefined &&
        first.metadata[name] !== other.metadata[name],
    );
    if (differing === undefined) continue;
    return {
      kind: "fail",
      expected: phrase`its documents name the same issuer and endpoints`,
      actual: phrase`${differing} differs: ${valueFact(shown(first.metadata[differing]))} at ${valueFact(first.url)}, ${valueFact(shown(other.metadata[differing]))} at ${valueFact(other.url)}`,
      evidence: { probes: documents.map(({ exchange }) => exchange) },
    };
  }
  return { kind: "pass", evidence };
}

function https(metadata: Metadata, evidence: Evidence): Finding {
  for (const name of ENDPOINTS) {
    const url = metadata[name];
    if (typeof url !== "string" || !URL.canParse(url)) continue;
    const { protocol, hostname } = new URL(url);
    if (protocol === "https:" || isLoopbackHost(hostname)) continue;
    return {
      kind: "fail",
      expected: phrase`${name} is an https URL`,
      actual: phrase`${valueFact(shown(url))}`,
      evidence,
    };
  }
  return { kind: "pass", evidence };
}

function listed(metadata: Metadata, member: string, word: string, evidence: Evidence): Finding {
  const list = metadata[member] ?? DEFAULTS[member];
  if (list === undefined) return { kind: "not-applicable", reason: phrase`there is no ${member}` };
  if (Array.isArray(list) && list.includes(word)) return { kind: "pass", evidence };
  const absent = metadata[member] === undefined ? "; it is absent, which means" : " is";
  return {
    kind: "fail",
    expected: phrase`${member} lists ${word}, which the server accepts`,
    actual: phrase`${member}${absent} ${valueFact(shown(list))}`,
    evidence,
  };
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "absent").slice(0, 200);
}
