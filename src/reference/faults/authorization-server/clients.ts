import { secretOf } from "../../authorization-server/clients.ts";
import type { TokenRequest } from "../../authorization-server/steps.ts";
import { changingForm } from "../../patches.ts";
import type { Patch } from "../../steps.ts";
import { type Faults, ownedBy } from "../fault.ts";
import { authenticate, clientNamed, secretIn } from "./requests.ts";

const KNOWN_GRANTS: ReadonlySet<string> = new Set([
  "client_credentials",
  "authorization_code",
  "refresh_token",
]);

/** Faults of client authentication and of the client credentials flow. */
export const CLIENT_FAULTS: Faults = ownedBy("authorization-server.client-credentials", {
  "server-any-secret": {
    title: "Accepts any secret of a client in the client credentials flow",
    how: "The server looks up the client by name, and does not compare the secret.",
    ...authenticating(() => true),
  },
  "server-any-secret-everywhere": {
    title: "Accepts any secret of a client, with codes and refresh tokens too",
    how: "All grants authenticate clients in one place, which does not compare the secret.",
    tokenRequest: () => (request) => {
      if (secretIn(request)) authenticate(request);
    },
  },
  "server-secret-of-any-client": {
    title: "Accepts the secret of any client in place of the named client's",
    how: "The server searches all secrets, and does not compare their client.",
    ...authenticating((request) => {
      const given = secretIn(request);
      return request.memory.clients.some(({ client_secret: secret }) => secret === given);
    }),
  },
  "server-secret-any-case": {
    title: "Compares secrets without regard to case",
    how: "The database compares text without regard to case, and the secret is looked up there.",
    ...authenticating(
      (request) =>
        secretIn(request)?.toLowerCase() === secretOf(clientNamed(request)).toLowerCase(),
    ),
  },
  "server-secret-cut": {
    title: "Accepts a secret with further characters at its end",
    how: "The secret is cut to the length of a column, or to what the hash reads, before it is compared.",
    ...authenticating(
      (request) => secretIn(request)?.startsWith(secretOf(clientNamed(request))) ?? false,
    ),
  },
  "server-grant-of-any-client": {
    title: "Issues tokens in the client credentials flow to every client with a secret",
    how: "Grants are configured for the server, not for each client.",
    source: "CVE-2026-75866",
    registered: () => (clients) =>
      clients.map((client) => ({
        ...client,
        grant_types: [...new Set([...(client.grant_types ?? []), "client_credentials"])],
      })),
  },
  "server-grant-unknown": {
    title: "Treats an unknown grant as client credentials",
    how: "The last branch handles every grant that is not a code.",
    ...changingForm((form) => {
      if (!KNOWN_GRANTS.has(form.get("grant_type") ?? "")) {
        form.set("grant_type", "client_credentials");
      }
    }),
  },
});

/** Authenticates a client in the client credentials flow if its request fulfils the condition. */
function authenticating(condition: (request: TokenRequest) => boolean): Patch {
  return {
    tokenRequest: () => (request) => {
      if (request.form.get("grant_type") !== "client_credentials") return;
      if (condition(request)) authenticate(request);
    },
  };
}
