import { expect, test } from "vitest";

import type { TransportFault } from "../../src/http/exchange.ts";
import { hungUp, reception } from "../../src/probe/reception.ts";

test.each<[TransportFault, boolean]>([
  ["reset", true],
  ["malformed", true],
  ["unreachable", false],
  ["tls", false],
  ["timeout", false],
  ["cut", false],
  ["cancelled", false],
])(
  "whether a fault of the kind %s means that the target closed the connection: %s",
  (kind, expected) => {
    const exchange = { fault: { kind, message: "" } } as Parameters<typeof hungUp>[0]["exchange"];
    expect(hungUp({ exchange })).toBe(expected);
  },
);

test.each([
  [0, "unclear"],
  [199, "unclear"],
  [200, "accepted"],
  [299, "accepted"],
  [300, "redirected"],
  [399, "redirected"],
  [400, "rejected"],
  [499, "rejected"],
  [500, "broken"],
  [501, "broken"],
  [599, "broken"],
])("%i is %s", (status, expected) => {
  expect(reception({ status })).toBe(expected);
});

test.each([408, 425, 429, 502, 503, 504])("%i is unclear", (status) => {
  expect(reception({ status })).toBe("unclear");
});
