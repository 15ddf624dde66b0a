import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { command, createIo } from "./io.ts";
import { receiver } from "./servers.ts";

interface Line {
  readonly id: string;
  readonly state: string;
}

/** The lines about the authorization server, by id. */
async function linesOf(
  profile: unknown,
  group = "authorization-server",
): Promise<Record<string, string>> {
  const io = createIo();
  writeFileSync(join(io.cwd, "orgsync.yaml"), JSON.stringify(profile));
  const { out } = await command(["doctor", "--json"], io);
  const { checks } = JSON.parse(out) as { checks: Line[] };
  return Object.fromEntries(
    checks
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
    const only = (client: unknown): unknown => ({
      ...profile,
      denied: undefined,
      authorizationServer: { ...server, clients: { only: client } },
    });
    expect(await linesOf(only(admin), "token")).toEqual({ issued: "unknown" });
    expect(await linesOf(only({ ...service, id: "stranger" }), "token")).toEqual({
      issued: "problem",
    });
  });
});
