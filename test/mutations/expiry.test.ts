import { expect, test } from "vitest";

import { mintMutated } from "../../src/mutations/mint.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import {
  beyondSmallSkew,
  expired,
  lifetimePast,
  notYetValid,
  openTimes,
} from "../../src/mutations/token/expiry.ts";
import { draftToken } from "../../src/tokens/draft.ts";
import { drafted, named, payloadOf, targetFor } from "./support.ts";

const target = targetFor("ES256");

async function payload(mutation: Mutation, clockOffsetSeconds = 0): Promise<string> {
  const { context } = drafted(target);
  const form = { ...context.form, clockOffsetSeconds };
  const draft = draftToken(target, context.operation, form, context.organization);
  const { token } = await mintMutated(draft, mutation, { ...context, form });
  return payloadOf(token);
}

async function secondsAhead(
  claim: string,
  mutation: Mutation,
  clockOffsetSeconds?: number,
): Promise<number> {
  const claims = JSON.parse(await payload(mutation, clockOffsetSeconds)) as Record<string, number>;
  return (claims[claim] ?? Number.NaN) - Date.now() / 1000;
}

test.each([0, 5000, -5000])(
  "a time in the past is past by both clocks, which are %i s apart",
  async (apart) => {
    const behind = Math.min(0, apart);
    expect(await secondsAhead("exp", expired, apart)).toBeCloseTo(behind - 3600, -1);
    expect(await secondsAhead("exp", lifetimePast, apart)).toBeCloseTo(behind - 3600, -1);
    expect(await secondsAhead("iat", lifetimePast, apart)).toBeCloseTo(behind - 7200, -1);
    expect(await secondsAhead("exp", beyondSmallSkew, apart)).toBeLessThan(behind - 305);
  },
);

test.each([0, 5000, -5000])(
  "`nbf` is in the future by both clocks, which are %i s apart",
  async (apart) => {
    const ahead = Math.max(0, apart);
    expect(await secondsAhead("nbf", notYetValid, apart)).toBeCloseTo(ahead + 3600, -1);
  },
);

test("1e400 is written unchanged", async () => {
  expect(await payload(named(openTimes, "infinite"))).toContain('"exp":1e400');
});
