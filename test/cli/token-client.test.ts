import { describe, expect, it } from "vitest";

import { command, ioWith, refusal } from "./io.ts";
import { receiver } from "./servers.ts";

describe("token --client", () => {
  it("runs the flow and prints the claims of the token, never the token", async () => {
    const { profile } = await receiver({ authorizationServer: true });
    for (const client of ["service", "admin"]) {
      const { code, out, err } = await command(["token", "--client", client], ioWith(profile));
      expect([code, err]).toEqual([0, ""]);
      expect(out).toContain("grant_type");
      expect(out).toContain("Asked for: org:read");
      expect(out).not.toMatch(/eyJ[\w-]{10}/);
    }
  });

  it("lists the clients", async () => {
    const { profile } = await receiver({ authorizationServer: true });
    expect(await refusal(command(["token", "--client", "nobody"], ioWith(profile)))).toContain(
      "`authorizationServer.clients` has service, reader, admin, platform.",
    );
  });
});
