import { Ajv } from "ajv";
import formats from "ajv-formats";
import draft06 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import { assert, property, string } from "fast-check";
import type { Har } from "har-format";
// @ts-expect-error It has no types.
import schemas from "har-schema";
import { describe, expect, it } from "vitest";

import { har } from "../../src/report/har.ts";
import type { Report } from "../../src/report/report.ts";
import { exchange, reportOf, result } from "./events.ts";
import { HOSTILE, hostileReport } from "./hostile.ts";
import { realRun } from "./real-run.ts";

// har-schema writes `optional`, `unique` and `min` into its schemas, which no draft has.
const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addMetaSchema(draft06);
for (const schema of Object.values(schemas as Record<string, object>)) ajv.addSchema(schema);
const validate = ajv.compile<Har>({ $ref: "har.json#" });

function read(report: Report): Har["log"] {
  const archive: unknown = JSON.parse(har.render(report));
  if (!validate(archive)) throw new Error(JSON.stringify(validate.errors));
  return archive.log;
}

describe("report.har", () => {
  it("contains the exchanges of a run by rule, in the order in which they were sent", async () => {
    const report = await realRun();
    const text = har.render(report);
    const { entries, pages = [], version, creator } = read(report);
    expect([version, creator]).toEqual([
      "1.2",
      { name: "orgsync-conformance", version: report.suite.version },
    ]);
    expect(entries).toHaveLength(Object.keys(report.exchanges).length);
    const times = entries.map(({ startedDateTime }) => startedDateTime);
    expect(times).toEqual(times.toSorted());
    const ids = pages.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(entries.filter(({ pageref = "" }) => !ids.includes(pageref))).toEqual([]);
    expect(text).not.toContain("eyJ");
  });

  it("shows what is known of an exchange, in HAR's own members where they exist", () => {
    const report = reportOf([result("a")], {}, [
      exchange("x2", {
        request: {
          method: "PATCH",
          url: "http://h/base?page=1&q=a%20b",
          headers: [["Content-Type", "application/json"]],
          body: '{"é":1}',
          token: { claims: { aud: "x" }, mutation: "longer" },
        },
        response: {
          status: 302,
          headers: { location: "/there", "content-type": "text/html" },
          body: "moved",
          truncated: true,
        },
        durationMs: 12.5,
      }),
    ]);
    const { entries, pages } = read(report);
    expect(pages).toEqual([
      {
        id: "receiver.expiry",
        title: "An expired token is rejected",
        startedDateTime: "2025-01-01T00:00:00.000Z",
        pageTimings: {},
      },
    ]);
    expect(entries).toMatchObject([
      {
        pageref: "receiver.expiry",
        time: 12.5,
        timings: { send: 0, wait: 12.5, receive: 0 },
        request: {
          method: "PATCH",
          url: "http://h/base?page=1&q=a%20b",
          queryString: [
            { name: "page", value: "1" },
            { name: "q", value: "a b" },
          ],
          postData: { mimeType: "application/json", text: '{"é":1}' },
          bodySize: 8,
        },
        response: {
          status: 302,
          redirectURL: "/there",
          content: { mimeType: "text/html", text: "moved", size: 5 },
          bodySize: -1,
        },
        _id: "x2",
        _case: "receiver.expiry/hour-ago@viewOrganization",
        _token: { claims: { aud: "x" }, mutation: "longer" },
      },
    ]);
  });

  it("has an entry for a request without an answer", () => {
    const { response: _response, ...unanswered } = exchange("x2");
    const fault = { kind: "reset", message: "socket hang up" } as const;
    const { entries } = read(reportOf([result("a")], {}, [{ ...unanswered, fault }]));
    expect(entries).toMatchObject([
      { response: { status: 0, bodySize: -1 }, _error: "reset: socket hang up" },
    ]);
  });

  it("is valid whatever a target sends, and keeps it", () => {
    const { entries } = read(hostileReport());
    expect(entries.map(({ response }) => response.content.text)).toEqual(HOSTILE);
    assert(
      property(string({ unit: "binary", maxLength: 30 }), (text) => {
        const request = { method: text, url: `http://h/${text}`, headers: [["x", text]] as const };
        const report = reportOf([result("a")], {}, [exchange("x2", { request })]);
        expect(read(report).entries[0]?.request.headers).toEqual([{ name: "x", value: text }]);
      }),
    );
  });
});
