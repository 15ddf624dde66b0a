import { describe, expect, it } from "vitest";

import { diagnose } from "../../../src/engine/conclusion/diagnose.ts";
import { partsOf } from "../../../src/engine/conclusion/signatures.ts";
import type { CaseResult } from "../../../src/engine/events.ts";
import { known, signature, showing, names, changed, prefix } from "./showing.ts";

describe("routes and routers differ", () => {
  it("recognises a fault whether or not the router serves HEAD, and a path with a slash at the end", () => {
    const near = ["other-head", "other-trailing-slash"].map(
      (tried) => `receiver.audience/${tried}@viewOrganization`,
    );
    const unchecked = showing(signature("audience-unchecked")).filter(
      ({ id }) => !near.includes(id),
    );
    for (const outcome of ["fail", "pass"] as const) {
      const served = near.map((id): CaseResult => ({
        ...(unchecked[0] as CaseResult),
        id,
        outcome,
      }));
      expect(names(diagnose([...unchecked, ...served], known))).toEqual(["audience-unchecked"]);
    }
  });

  it("recognises a fault of a receiver whose framework resolves dots and decodes ids in paths, or not", () => {
    const near = ["path-dots", "path-dots-encoded", "path-backslashes", "path-id-encoded"].map(
      (tried) => `receiver.binding/${tried}@viewOrganization`,
    );
    for (const outcome of ["fail", "pass"] as const) {
      const served = changed(showing(signature("binding-unchecked")), ({ id }) =>
        near.includes(id) ? { outcome } : undefined,
      );
      expect(names(diagnose(served, known))).toEqual(["binding-unchecked"]);
    }
  });

  it("recognises a fault of a list that has no pages", () => {
    const paged = showing(signature("list-ignores-binding"));
    // Every page of it shows everything.
    const others = ["primary-page-1", "other-page-2"].map((tried): CaseResult => ({
      ...(paged[0] as CaseResult),
      id: `receiver.binding-list/${tried}@listOrganizations`,
    }));
    expect(names(diagnose([...paged, ...others], known))).toEqual(["list-ignores-binding"]);
  });

  it("recognises a fault on routes that replace routes that are not offered", () => {
    const elsewhere = showing(prefix).map((result) => ({
      ...result,
      id: result.id.replace("@viewOrganization", "@listOrganizations"),
      operation: partsOf(result.id.replace("@viewOrganization", "@listOrganizations")).operation,
    }));
    const offered = elsewhere.filter(
      ({ id }, index) => elsewhere.findIndex((one) => one.id === id) === index,
    );
    expect(names(diagnose(offered, known))).toEqual(["audience-by-prefix"]);
  });

  it("recognises a fault of pages that a second subject sees in another list than in the reference receiver", () => {
    const repeated = signature("last-page-repeated");
    const [denied, ...others] = (repeated.fail ?? []).filter((id) => id.startsWith("denied-"));
    expect([denied, others]).toEqual(["denied-pages@listOrganizations", []]);
    const seen = showing(repeated);
    const ofList = seen.find(({ id }) => id.endsWith(denied ?? ""));
    // It sees one organization, which makes no pages, and more changes than in the reference receiver.
    const elsewhere = seen.flatMap((one) => {
      if (one === ofList) return [];
      return one.id.endsWith("denied-pages@readChangesFeed")
        ? { ...one, outcome: "fail" as const, actual: ofList?.actual }
        : one;
    });
    const found = diagnose(elsewhere, known);
    expect(names(found)).toEqual(["last-page-repeated"]);
    expect(found[0]?.leaves).toEqual([]);
  });

  it("calls nothing a fault of second subjects that breaks for the first one too", () => {
    const more = showing(signature("total-pages-one-more"));
    const beside = changed(more, ({ id }) =>
      id.endsWith("/denied-pages@readChangesFeed") ? { outcome: "fail" } : undefined,
    );
    const [found] = diagnose(beside, known);
    expect(found?.fault).toBe("total-pages-one-more");
    expect(found?.leaves).toEqual(["pagination.totals/denied-pages@readChangesFeed"]);
  });

  it("says on which routes a check is missing, and on which it is not", () => {
    const routes = ["readChangesFeed", "readChange"];
    const forgotten = changed(showing(signature("audience-unchecked")), ({ operation = "" }) =>
      routes.includes(operation) ? undefined : { outcome: "pass" },
    );
    const [diagnosis, ...others] = diagnose(forgotten, known);
    expect(others).toEqual([]);
    expect(diagnosis?.behaves).toBe(
      "does not check `aud`, on readChangesFeed and readChange but not on listOrganizations, viewOrganization, editOrganization and submitChange",
    );
  });

  it("names a check that is missing on one route only", () => {
    const one = diagnose(showing(signature("audience-unchecked-on-readChange")), known);
    expect(one.map(({ behaves }) => behaves)).toEqual(["does not check `aud` on readChange"]);
  });
});
