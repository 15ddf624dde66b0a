import { secretOf } from "../../authorization-server/clients.ts";
import type { Fault } from "../fault.ts";
import { authenticate, clientNamed, secretIn } from "./requests.ts";

/** Faults of client authentication and of the client credentials flow. */
export const CLIENT_FAULTS: readonly Fault[] = [
  {
    name: "server-any-secret",
    title: "Accepts any secret of a client in the client credentials flow",
    rule: "authorization-server.client-credentials",
    how: "The server looks up the client by name, and does not compare the secret.",
    step: "tokenRequest",
    patch: () => (request) => {
      if (request.form.get("grant_type") !== "client_credentials") return;
      authenticate(request);
    },
  },
  {
    name: "server-secret-of-any-client",
    title: "Accepts the secret of any client in place of the named client's",
    rule: "authorization-server.client-credentials",
    how: "The server searches all secrets, and does not compare their client.",
    step: "tokenRequest",
    patch: () => (request) => {
      const given = secretIn(request);
      if (request.memory.clients.some(({ client_secret: secret }) => secret === given)) {
        if (request.form.get("grant_type") === "client_credentials") authenticate(request);
      }
    },
  },
  {
    name: "server-secret-any-case",
    title: "Compares secrets without regard to case",
    rule: "authorization-server.client-credentials",
    how: "The database compares text without regard to case, and the secret is looked up there.",
    step: "tokenRequest",
    patch: () => (request) => {
      const given = secretIn(request)?.toLowerCase();
      if (request.form.get("grant_type") !== "client_credentials") return;
      if (given === secretOf(clientNamed(request)).toLowerCase()) authenticate(request);
    },
  },
  {
    name: "server-secret-cut",
    title: "Accepts a secret with further characters at its end",
    rule: "authorization-server.client-credentials",
    how: "The secret is cut to the length of a column, or to what the hash reads, before it is compared.",
    step: "tokenRequest",
    patch: () => (request) => {
      if (request.form.get("grant_type") !== "client_credentials") return;
      if (secretIn(request)?.startsWith(secretOf(clientNamed(request)))) authenticate(request);
    },
  },
  {
    name: "server-grant-of-any-client",
    title: "Issues tokens in the client credentials flow to every client with a secret",
    rule: "authorization-server.client-credentials",
    how: "Grants are configured for the server, not for each client.",
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
    title: "Treats an unknown grant as client credentials",
    rule: "authorization-server.client-credentials",
    how: "The last branch handles every grant that is not a code.",
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
