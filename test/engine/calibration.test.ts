import { describe, expect, test } from "vitest";

import { OPERATION_IDS, SCOPES } from "../../src/contract/operations.ts";
import type { HttpClient } from "../../src/http/client.ts";
import type { Reply } from "../../src/http/exchange.ts";
import { preflight } from "../../src/setup/reach.ts";
import { referenceTarget } from "../support/target.ts";
import { worded } from "../support/worded.ts";
import { accepting, type Behaviour, type Call, refusal, refusing, runTiny } from "./tiny.ts";

const ALL = OPERATION_IDS;
const CLAIM = "https://example.com/org_id";

const now = (): number => Date.now() / 1000;

/** Refuses whatever does not fulfil the condition. */
function wanting(condition: (call: Call) => boolean, status = 401): Behaviour {
  return (call) => (call.claims && !condition(call) ? refusal(status) : undefined);
}

test.each(
  Object.entries<Behaviour>({
    "accepts any token": () => undefined,
    "requires typ JWT": wanting(({ header }) => header?.["typ"] === "JWT"),
    "wants typ at+jwt": wanting(({ header }) => header?.["typ"] === "at+jwt", 400),
    "wants typ at+jwt and what RFC 9068 wants with it": wanting(
      ({ header, claims }) =>
        header?.["typ"] === "at+jwt" && !!claims?.["jti"] && !!claims["client_id"],
    ),
    "requires no typ": wanting(({ header }) => header?.["typ"] === undefined, 403),
    "requires bound tokens below organizations": wanting(
      ({ claims, organization }) => !organization || claims?.[CLAIM] === organization,
      403,
    ),
    "requires unbound tokens": wanting(({ claims }) => claims?.[CLAIM] === undefined, 404),
    "requires every scope": wanting(({ claims }) => claims?.["scope"] === SCOPES.join(" "), 403),
    "wants bound at+jwt tokens with every scope": wanting(
      ({ header, claims, organization }) =>
        header?.["typ"] === "at+jwt" &&
        claims?.["scope"] === SCOPES.join(" ") &&
        (!organization || claims[CLAIM] === organization),
    ),
  }),
)("the good token of a deployment that %s is found", async (_what, behaviour) => {
  const { finished, outcomes, calls } = await runTiny([refusing(ALL), accepting(ALL)], {
    behaviour,
  });
  expect(new Set(Object.values(outcomes))).toEqual(new Set(["pass"]));
  expect([finished.verdict, finished.setup]).toEqual(["conformant", []]);
  expect(calls.length).toBeLessThan(50);
});

test("every token has the claims and header parameters that the profile adds", async () => {
  const extra = { client_id: "conformance", tenant: { id: 7 } };
  const { finished, outcomes, calls } = await runTiny([refusing(ALL), accepting(ALL)], {
    profile: { testIssuer: { claims: extra, header: { typ: "x+jwt", tenant: "a" } } },
    behaviour: wanting(
      ({ header, claims }) =>
        header?.["typ"] === "x+jwt" &&
        header["tenant"] === "a" &&
        claims?.["client_id"] === "conformance",
    ),
  });
  expect(new Set(Object.values(outcomes))).toEqual(new Set(["pass"]));
  expect(finished.verdict).toBe("conformant");
  const tokens = calls.filter(({ claims }) => claims !== undefined);
  expect(tokens.length).toBeGreaterThan(10);
  for (const { claims, header } of tokens) {
    expect(claims).toMatchObject(extra);
    expect(header).toMatchObject({ typ: "x+jwt", alg: "RS256" });
  }
});

test("a typ in the profile is the only one that is tried", async () => {
  const { calls } = await runTiny([refusing(ALL)], {
    profile: { testIssuer: { header: { typ: "at+jwt" } } },
    behaviour: wanting(() => false),
  });
  const typs = calls.flatMap(({ header }) => (header ? [header["typ"]] : []));
  expect(new Set(typs)).toEqual(new Set(["at+jwt"]));
});

test("the token that one operation accepted is tried first on the others", async () => {
  const { calls } = await runTiny([refusing(ALL)], {
    behaviour: wanting(({ header }) => header?.["typ"] === "at+jwt"),
  });
  const refused = calls.filter(
    ({ isControl, header }) => isControl && header?.["typ"] !== "at+jwt",
  );
  expect(new Set(refused.map(({ operation }) => operation))).toEqual(
    new Set(["listOrganizations"]),
  );
});

test("each operation may need a different token", async () => {
  const { outcomes } = await runTiny([refusing(ALL)], {
    behaviour: wanting(({ header, operation }) =>
      operation === "readChange" ? header?.["typ"] === undefined : header?.["typ"] === "JWT",
    ),
  });
  expect(new Set(Object.values(outcomes))).toEqual(new Set(["pass"]));
});

test("an answer that is not about the token ends the search", async () => {
  const { calls } = await runTiny([refusing()], {
    behaviour: ({ isControl }) => (isControl ? refusal(500) : undefined),
  });
  expect(calls.filter(({ caseId }) => caseId === "control/viewOrganization")).toHaveLength(1);
});

test("the run waits for a deployment that answers 503 while it starts", async () => {
  let away = 0;
  const { finished, outcomes } = await runTiny([refusing(ALL), accepting(ALL)], {
    behaviour: ({ isControl }) => (isControl && away++ < 7 ? refusal(503) : undefined),
  });
  expect(new Set(Object.values(outcomes))).toEqual(new Set(["pass"]));
  expect(finished.verdict).toBe("conformant");
});

test("the run waits only once for a deployment that always answers 503", async () => {
  const { calls } = await runTiny([refusing(ALL)], { behaviour: () => refusal(503) });
  const sent = (id: string): number =>
    calls.filter(({ caseId }) => caseId === `control/${id}`).length;
  const [first = "", ...others] = new Set(
    calls.flatMap(({ isControl, operation }) => (isControl && operation ? [operation] : [])),
  );
  expect(others).not.toHaveLength(0);
  for (const id of others) expect(sent(id)).toBeLessThan(sent(first));
});

const HOUR = 3600;
/** Refuses tokens by one clock, and sends another one in `Date`. */
const byClock =
  (offset: number, date: (() => string) | undefined): Behaviour =>
  (call) => {
    const headers = { date: date?.() ?? "" };
    const { exp, iat } = (call.claims ?? {}) as { exp?: number; iat?: number };
    if (!call.claims || call.isBad) return { ...refusal(401), headers };
    const time = now() + offset;
    if ((exp ?? 0) < time || (iat ?? 0) > time + 30) return { ...refusal(401), headers };
    return { status: 200, body: { items: [{ id: "c1" }] }, headers };
  };
const dateAt = (offset: number) => () => new Date(Date.now() + offset * 1000).toUTCString();

describe("time", () => {
  test.each([HOUR, -HOUR])(
    "tokens follow a clock that is off by %i s if the deployment's Date header shows it",
    async (offset) => {
      const { finished, outcomes } = await runTiny([refusing(), accepting()], {
        behaviour: byClock(offset, dateAt(offset)),
      });
      expect(new Set(Object.values(outcomes))).toEqual(new Set(["pass"]));
      expect(finished.setup).toHaveLength(1);
      expect(finished.setup[0]?.problem).toMatch(
        offset > 0
          ? /^Two clocks differ: the deployment's Date header is 36\d\d s ahead of this machine's clock\.$/
          : /^Two clocks differ: the deployment's Date header is 3[56]\d\d s behind this machine's clock\.$/,
      );
    },
  );

  test.each([HOUR, -HOUR])(
    "a Date header that is off by %i s is ignored if the deployment judges tokens by the right time",
    async (offset) => {
      const { finished, outcomes } = await runTiny([refusing(), accepting()], {
        behaviour: byClock(0, dateAt(offset)),
      });
      expect(new Set(Object.values(outcomes))).toEqual(new Set(["pass"]));
      expect(finished.setup[0]?.problem).toMatch(
        /^Two clocks differ: the deployment's Date header is 3[56]\d\d s /,
      );
      expect(finished.setup[0]?.remedy).toMatch(
        /^Either may be wrong.* by this machine's clock are accepted\.$/,
      );
    },
  );

  test.each([
    [7200, /Until then tokens are minted in the deployment's time\.$/],
    [90_000, /only if it is less than a day off\.$/],
  ])("a clock that is %i s ahead comes with what follows for tokens", async (offset, remedy) => {
    const { finished } = await runTiny([refusing()], {
      behaviour: byClock(offset, dateAt(offset)),
    });
    expect(finished.setup[0]?.remedy).toMatch(remedy);
  });

  test.each([
    [30, 0],
    [60, 0],
    [120, 1],
  ])("a Date header that is %i s ahead is observed, with %i set-up messages", async (...row) => {
    const [offset, remarks] = row;
    const { finished } = await runTiny([refusing()], { behaviour: byClock(0, dateAt(offset)) });
    expect(finished.setup).toHaveLength(remarks);
    const seen = finished.observations.find(({ id }) => id === "clock.offset");
    expect(worded(seen)?.value).toMatch(/^\d{2,3}$/);
  });

  test("no token follows a Date header that is more than a day off", async () => {
    const { calls } = await runTiny([refusing()], {
      behaviour: () => ({ ...refusal(401), headers: { date: "Tue, 01 Jan 2999 00:00:00 GMT" } }),
    });
    const latest = Math.max(...calls.map(({ claims }) => Number(claims?.["exp"] ?? 0)));
    expect(latest).toBeLessThan(now() + HOUR);
  });

  test("a token by this machine's clock is tried first", async () => {
    const { calls } = await runTiny([refusing()], { behaviour: byClock(HOUR, dateAt(HOUR)) });
    const tried = calls.flatMap(({ claims }) => (claims ? [Number(claims["exp"]) - now()] : []));
    expect(tried[0]).toBeLessThan(HOUR / 2);
    expect(Math.max(...tried)).toBeGreaterThan(HOUR);
  });

  test.each([
    ["no Date", ""],
    ["an invalid Date", "yesterday"],
  ])("with %s, this machine's time is used", async (_what, date) => {
    const { finished, outcomes } = await runTiny([refusing(), accepting()], {
      behaviour: byClock(0, () => date),
    });
    expect(new Set(Object.values(outcomes))).toEqual(new Set(["pass"]));
    expect(finished.setup).toEqual([]);
    expect(worded(finished.observations[0])).toMatchObject({
      id: "clock.offset",
      value: "no Date header",
    });
  });

  test.each<[string, number, number]>([
    ["made when the request was sent", 0, 0],
    ["made when the answer came", 9000, 0],
    ["made an hour ahead", 9000 + 3_600_000, 3605],
    ["made an hour behind", -3_600_000, -3604],
  ])("the clock offset of an answer that took 9 s, %s", async (_what, madeAtMs, offsetSeconds) => {
    const sent = Date.parse("2030-01-01T00:00:00Z");
    const reply = {
      status: 401,
      headers: { date: new Date(sent + madeAtMs).toUTCString() },
      exchange: { startedAt: new Date(sent).toISOString(), durationMs: 9000 },
    } as unknown as Reply;
    const http = { send: () => Promise.resolve(reply) } as unknown as HttpClient;
    expect(await preflight(referenceTarget(), http)).toBe(offsetSeconds);
  });

  test("an old answer from a cache does not count as a wrong clock", async () => {
    const { finished } = await runTiny([refusing()], {
      behaviour: ({ claims }) =>
        claims ? undefined : { ...refusal(401), headers: { date: dateAt(-1000)(), age: "1000" } },
    });
    expect(worded([finished.observations[0]?.value, finished.setup])).toEqual([
      "less than 3, ahead or behind",
      [],
    ]);
  });
});
