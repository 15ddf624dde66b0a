import { describe, expect, it } from "vitest";

import { doctor, type Profile } from "./doctor.ts";
import { command, ioWith, reportIn } from "./io.ts";
import { receiver } from "./servers.ts";

interface Server {
  readonly clients: Readonly<Record<string, { readonly flow: string }>>;
  readonly narrowing?: boolean;
}

/** The lines about the authorization server, by id. */
async function linesOf(
  profile: Profile,
  group = "authorization-server",
): Promise<Record<string, string>> {
  const { found } = await doctor(profile);
  return Object.fromEntries(
    found.checks
      .filter(({ id }) => id.startsWith(`${group}.`))
      .map(({ id, state }) => [id.split(".")[1] ?? "", state]),
  );
}

describe("doctor, with an authorization server", () => {
  it("checks its metadata, its keys and each client", async () => {
    const { profile } = await receiver({ authorizationServer: true });
    expect(await linesOf(profile)).toEqual({
      metadata: "ok",
      keys: "ok",
      service: "ok",
      reader: "ok",
      admin: "ok",
      platform: "ok",
    });
  });

  it("reports where it found nothing", async () => {
    const { profile } = await receiver();
    const issuer = `${new URL(String(profile["baseUrl"])).origin}/nowhere`;
    expect(await linesOf({ ...profile, authorizationServer: { issuer } })).toEqual({
      metadata: "problem",
      keys: "problem",
    });
  });

  it("uses issued tokens when there are no others", async () => {
    const { profile } = await receiver({ authorizationServer: "alone" });
    expect(await linesOf(profile, "token")).toEqual({ issued: "ok" });
    const { clients, ...server } = profile["authorizationServer"] as Record<string, unknown>;
    const { admin, service } = clients as Record<string, Record<string, unknown>>;
    const only = (client: unknown): Profile => ({
      ...profile,
      denied: undefined,
      authorizationServer: { ...server, clients: { only: client } },
    });
    expect(await linesOf(only(admin), "token")).toEqual({ issued: "unknown" });
    expect(await linesOf(only({ ...service, id: "stranger" }), "token")).toEqual({
      issued: "problem",
    });
  });

  it.each([
    ["server-token-aud-origin", /rejects it\. audience: it is .*Receiver checks \/ 3/],
    ["server-token-without-sub", /rejects it\. claims: `sub` is missing .*Token claims, SHOULD/],
    ["server-token-exp-text", /leaves open .*expiry: `exp` is .*, which is no number/],
  ])("says what the contract says of an issuer's refused tokens: %s", async (fault, said) => {
    const { profile } = await receiver({ authorizationServer: "alone", faults: [fault] });
    const { state, detail } = (await doctor(profile)).of("token.issued");
    expect(state).toBe("problem");
    expect(detail).toMatch(said);
  });

  it.each([
    ["every client takes consent", /./, "token.issued"],
    ["some tokens take consent", /^(?:admin|platform|primary)$/, "profile.consent"],
  ])("does not say that all is ready where %s", async (_, ofPeople, open) => {
    const { profile } = await receiver({ authorizationServer: "alone" });
    const server = profile["authorizationServer"] as Server;
    const consented = { flow: "authorization_code", redirectUri: "http://127.0.0.1:0/callback" };
    const clients = Object.entries(server.clients).map(([name, client]) => [
      name,
      ofPeople.test(name) ? { ...client, ...consented, consent: "browser" } : client,
    ]);
    const authorizationServer = { ...server, clients: Object.fromEntries(clients) };
    const whole = { ...profile, authorizationServer };
    const { code, found, of } = await doctor(whole);
    expect([code, found.state, of(open).state]).toEqual([0, "unknown", "unknown"]);
    expect((await command(["doctor"], ioWith(whole))).out).toContain("Nothing is wrong so far");
  });

  it.each(
    Object.entries<[string, (server: Server) => Server, RegExp]>({
      "tokens whose scope is an array": [
        "server-token-scope-array",
        (server) => server,
        /the client service got a token that has a `scope` claim that is an array, not a string/,
      ],
      "a server that does not narrow scopes": [
        "",
        (server) => ({ ...server, narrowing: false }),
        /no client can get exactly the scopes org:write, .*, and narrowing is false \(\d+\)/,
      ],
      "a single client without an organization": [
        "",
        ({ clients, ...server }) => ({
          ...server,
          clients: { service: clients["service"] ?? { flow: "" } },
        }),
        /no client is bound to b81e4a07-\S+ \(\d+\).*no client has the denied subject \(\d+\)/,
      ],
    }),
  )("names what a run would leave unprovisioned: %s", async (_, [fault, change, cause]) => {
    const { profile } = await receiver({
      authorizationServer: "alone",
      faults: fault === "" ? [] : [fault],
    });
    const server = profile["authorizationServer"] as Server;
    const silent = Object.entries(server.clients).filter(
      ([, { flow }]) => flow === "client_credentials",
    );
    const changed = change({ ...server, clients: Object.fromEntries(silent) });
    const whole = { ...profile, authorizationServer: changed };
    const { code, of } = await doctor(whole);
    expect(code).toBe(3);
    const { detail } = of("profile.tokens");
    expect(detail).toMatch(cause);

    const { io } = await command(["run"], ioWith(whole));
    const lacking = reportIn(io).rules.flatMap(({ cases }) =>
      cases.filter((one) => one.level === "MUST" && one.outcome === "not-provisioned"),
    );
    // A few cases about error answers ask for tokens by what was answered before.
    const named = Number(/^\d+/.exec(detail)?.[0]);
    expect(named).toBeGreaterThan(lacking.length * 0.99);
    expect(named).toBeLessThanOrEqual(lacking.length);
    const reasons = lacking.map(({ reason = "" }) => reason.split(": ")[1] ?? "-");
    expect(reasons.some((reason) => detail.includes(reason))).toBe(true);
  });
});
