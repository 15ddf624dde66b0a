import { describe, expect, it, test } from "vitest";

import { UNKNOWN_ID, doctor, doctorOf } from "./doctor.ts";
import { command, createIo, ioWith } from "./io.ts";
import { listen, receiver } from "./servers.ts";

const HOUR = 3600;

describe("doctor, when all is well", () => {
  it("exits 0, checks everything except the writes, and sends about a dozen reads", async () => {
    const { profile } = await receiver();
    const { code, found, problems } = await doctor(profile);
    expect([code, found.state, problems]).toEqual([0, "ready", []]);
    expect(found.requests).toBeLessThan(20);
    const unknown = found.checks.filter(({ state }) => state === "unknown");
    expect(unknown.map(({ id }) => id)).toEqual([
      "operation.editOrganization",
      "operation.submitChange",
    ]);
  });

  it("publishes the keys if the profile says so, and reports whether they were fetched", async () => {
    const { code, of } = await doctorOf({}, { variants: ["keys-fetched"] });
    expect(code).toBe(0);
    expect(of("token.keys-served")).toMatchObject({
      state: "ok",
      detail: expect.stringMatching(/^at http:.* and fetched (once|\d+ times)$/) as string,
    });
    const elsewhere = await doctorOf({ testIssuer: { serve: "http://127.0.0.1:0" } });
    expect(elsewhere.of("token.keys-served")).toMatchObject({ state: "unknown" });
  });

  it("prints each check on its own line, with its subject", async () => {
    const { profile } = await receiver();
    const { code, out, err } = await command(["doctor"], ioWith(profile));
    expect(code).toBe(0);
    expect(err).toBe("The profile is orgsync.yaml.\n");
    expect(out).toMatch(/^ {2}ok +Key, ES256 +conformance-es256$/m);
    expect(out).toMatch(/^ {2}ok +Issuer +https:\/\/issuer\.example\.com$/m);
    expect(out).toMatch(/^ {2}ok +typ +JWT, at\+jwt, none accepted$/m);
    expect(out).toMatch(/^ {2}ok +Denied pair +svc-partner on 3.*: 403 on$/m);
    expect(out).toMatch(
      /^ {2}not known +submitChange +POST .*: not tried;\n +`orgsync-conformance doctor --writes` sends it once$/m,
    );
    expect(out).toMatch(/\d+ requests, no PATCH and no POST\n\nReady\. /);
    expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
    expect(out).not.toContain("eyJ");
  });

  it("never sends a write, even if the profile consents", async () => {
    const { baseUrl, methods } = await listen((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ items: [{ id: UNKNOWN_ID }], data: { id: UNKNOWN_ID } }));
    });
    const body = { body: { mission: "${unique}" } };
    const { of } = await doctor({
      baseUrl,
      organizations: { primary: UNKNOWN_ID },
      writes: true,
      operations: { editOrganization: body, submitChange: body },
    });
    expect(new Set(methods)).toEqual(new Set(["GET"]));
    expect(of("operation.editOrganization").state).toBe("unknown");
  });

  it.each([["clock-ahead"], ["clock-behind"], ["date-belied"]])(
    "reports a clock that is off: %s",
    async (variant) => {
      const { code, problems } = await doctorOf({}, { variants: [variant] });
      expect(code).toBe(3);
      expect(problems.map(({ id, side }) => [id, side])).toEqual([
        ["connection.clock", "deployment"],
      ]);
      // An hour, give or take what the answers took on a busy machine.
      expect(problems[0]?.detail).toMatch(/3[56]\d\d s (ahead of|behind) this machine's clock\.$/);
      expect(problems[0]?.remedy).toMatch(/^Either may be wrong/);
    },
  );

  it.each([
    ["this machine's clock", 0],
    ["the deployment's", HOUR],
  ])("says that the authorization server's clock agrees with %s", async (whose, offset) => {
    const issuer = await listen((request, response) => {
      const { host } = request.headers;
      const metadata = { issuer: `http://${host}`, token_endpoint: `http://${host}/token` };
      response.sendDate = false;
      response.writeHead(200, {
        "content-type": "application/json",
        date: new Date(Date.now() + offset * 1000).toUTCString(),
      });
      response.end(JSON.stringify(metadata));
    });
    const { problems } = await doctorOf(
      { authorizationServer: { issuer: issuer.baseUrl, clients: {} } },
      { variants: ["clock-ahead"] },
    );
    expect(problems.find(({ id }) => id === "connection.clock")?.detail).toContain(
      `The authorization server's Date header agrees with ${whose}.`,
    );
  });
});

test("doctor exits 130 when interrupted", async () => {
  const io = createIo();
  const { baseUrl } = await listen(() => io.stop());
  expect((await command(["doctor", baseUrl], io)).code).toBe(130);
});
