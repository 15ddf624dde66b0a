import type { Fault } from "../fault.ts";

/** Faults in where the server redirects to. */
export const REDIRECT_FAULTS: readonly Fault[] = [
  {
    name: "server-redirects-by-prefix",
    title: "Redirects to whatever begins like the registered host",
    rule: "authorization-server.redirect",
    how: "Loopback addresses are free in their port, and what follows the host is cut off by hand.",
    source: "Keycloak CVE-2024-8883",
    step: "openRedirect",
    patch: () => (query) => {
      const wanted = query.get("redirect_uri") ?? "";
      const isLoopback = new URL(wanted || "http://127.0.0.1").hostname === "127.0.0.1";
      return !isLoopback && wanted.startsWith("http://127.0.0.1") ? wanted : undefined;
    },
  },
  {
    name: "server-redirects-anywhere",
    title: "Redirects an error to whatever redirect URI is asked for",
    rule: "authorization-server.redirect",
    how: "Errors are sent back before the redirect URI is compared.",
    step: "openRedirect",
    patch: () => (query, memory) => {
      const { redirect_uris: registered = [] } =
        memory.clients.find(({ client_id: id }) => id === query.get("client_id")) ?? {};
      const wanted = new URL(query.get("redirect_uri") ?? "http://127.0.0.1");
      wanted.port = "";
      return registered.includes(wanted.href)
        ? undefined
        : (query.get("redirect_uri") ?? undefined);
    },
  },
];
