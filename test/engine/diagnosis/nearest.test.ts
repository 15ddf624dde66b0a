import { describe, expect, it } from "vitest";

import { diagnose } from "../../../src/engine/conclusion/diagnose.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import {
  known,
  signature,
  showing,
  names,
  changed,
  isAllOf,
  unheardOf,
  prefix,
} from "./showing.ts";

describe("where no fault explains all failures", () => {
  it("names the nearest fault with what it does not explain", () => {
    const more = unheardOf(3);
    const [nearest, ...others] = diagnose([...showing(prefix), ...more], known);
    expect(others).toEqual([]);
    expect(nearest).toMatchObject({
      fault: "audience-by-prefix",
      explains: expect.toSatisfy(isAllOf(prefix)) as string[],
      leaves: more.map(({ id }) => id),
      exact: false,
    });
  });

  it("calls no check missing whose cases had two outcomes", () => {
    const flaky = changed(showing(signature("audience-unchecked")), ({ id }) =>
      id === "receiver.audience/other@viewOrganization"
        ? { outcome: "inconclusive", flaky: true }
        : undefined,
    );
    expect(names(diagnose(flaky, known))).not.toContain("audience-unchecked");
  });

  it("does not limit a fault to operations where others have its failures too", () => {
    const unchecked = changed(showing(signature("audience-unchecked")), ({ id }) =>
      id === "receiver.audience/empty@viewOrganization" ? { outcome: "pass" } : undefined,
    );
    for (const { behaves } of diagnose(unchecked, known))
      expect(behaves).not.toContain("but not on");
  });

  it("names none that explains less than half of the failures", () => {
    const more = unheardOf((prefix.fail?.length ?? 0) + 1);
    expect(diagnose([...showing(prefix), ...more], known)).toEqual([]);
  });

  it("names none that a judged case contradicts, however much it explains", () => {
    const less = changed(showing(prefix), ({ id }) =>
      id === "receiver.audience/query@viewOrganization" ? { outcome: "pass" } : undefined,
    );
    const found = diagnose([...less, ...unheardOf(1)], known);
    expect(names(found)).not.toContain("audience-by-prefix");
  });

  it.each([
    [["audience-by-prefix", "audience-wildcard"]],
    [["audience-by-prefix", "audience-issuer", "audience-wildcard"]],
  ])("names the known faults that only together explain the failures: %j", (faults) => {
    const failing = new Set(faults.flatMap((fault) => signature(fault).fail ?? []));
    const all = changed(showing(prefix), ({ id }) =>
      failing.has(id.slice("receiver.audience/".length))
        ? { outcome: "fail", actual: phrase`2xx` }
        : undefined,
    );
    const [diagnosis, ...others] = diagnose(all, known);
    expect(others).toEqual([]);
    expect(diagnosis?.fault.split(" + ").toSorted()).toEqual(faults);
    expect(diagnosis?.behaves).toContain("; and ");
  });
});
