import type { Fault } from "../fault.ts";
import { authenticate, secretIn } from "./requests.ts";

/** Faults in how clients authenticate, and in the flow of client credentials. */
export const CLIENT_FAULTS: readonly Fault[] = [
  {
    name: "server-any-secret",
    title: "Takes any secret of a client by client credentials",
    rule: "authorization-server.client-credentials",
    how: "The client is looked up by its name, and the secret is compared by nobody.",
    step: "tokenRequest",
    patch: () => (request) => {
      if (request.form.get("grant_type") !== "client_credentials") return;
      authenticate(request);
    },
  },
  {
    name: "server-secret-of-any-client",
    title: "Takes the secret of any client for that of the one that is named",
    rule: "authorization-server.client-credentials",
    how: "The secret is looked up among all secrets, and whose it is is not compared.",
    step: "tokenRequest",
    patch: () => (request) => {
      const given = secretIn(request);
      if (request.memory.clients.some(({ client_secret: secret }) => secret === given)) {
        if (request.form.get("grant_type") === "client_credentials") authenticate(request);
      }
    },
  },
  {
    name: "server-grant-of-any-client",
    title: "Gives a token by client credentials to every client that has a secret",
    rule: "authorization-server.client-credentials",
    how: "Grants are configured for the server, and not for each client.",
    source: "CVE-2026-75866",
    step: "registered",
    patch: () => (clients) =>
      clients.map((client) => ({
        ...client,
        grant_types: [...new Set([...(client.grant_types ?? []), "client_credentials"])],
      })),
  },
  {
    name: "server-grant-unknown",
    title: "Takes a grant that it does not know for client credentials",
    rule: "authorization-server.client-credentials",
    how: "What is no code is handled by the last branch.",
    step: "tokenRequest",
    patch:
      () =>
      ({ form }) => {
        if (!KNOWN_GRANTS.has(form.get("grant_type") ?? "")) {
          form.set("grant_type", "client_credentials");
        }
      },
  },
];

const KNOWN_GRANTS: ReadonlySet<string> = new Set([
  "client_credentials",
  "authorization_code",
  "refresh_token",
]);
