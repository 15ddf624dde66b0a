import type { Target } from "../profile/target.ts";
import type { TokenForm } from "../tokens/draft.ts";

/** Beyond this a `Date` header is taken for a clock of its own, not for latency and rounding. */
const CLOCK_TOLERANCE_SECONDS = 5;

/** Beyond this it is no clock that anybody goes by: tokens by it would live for years. */
const MOST_CLOCK_OFFSET_SECONDS = 24 * 3600;

/** What `Date` tells of a clock that is another than this machine's; `undefined`: nothing to be minded. */
export function otherClock(offsetSeconds: number): number | undefined {
  const apart = Math.abs(offsetSeconds);
  return apart > CLOCK_TOLERANCE_SECONDS && apart <= MOST_CLOCK_OFFSET_SECONDS
    ? offsetSeconds
    : undefined;
}

/** Which `typ` good tokens may need: where the profile gives one, the one that is like it, else each. */
export function typsFor({ testIssuer, issued }: Target): readonly TokenForm["typ"][] {
  // Whatever it is, nobody here decides it.
  if (issued) return ["JWT"];
  const { typ } = testIssuer.header;
  if (typeof typ !== "string") return ["JWT", "at+jwt", undefined];
  return /^(?:application\/)?at\+jwt$/i.test(typ) ? ["at+jwt"] : ["JWT"];
}

/**
 * Every form that a good token may need, the likeliest first: by this machine's clock, and then by the deployment's.
 * @param preferred what was accepted elsewhere; the fewer differences from it, the earlier
 * @param clockOffsetSeconds how far the deployment's `Date` header is ahead of this machine
 * @param bound only bound or only unbound forms; both when absent
 * @param typs the values of `typ` to try
 */
export function goodForms(
  preferred: TokenForm,
  clockOffsetSeconds: number,
  bound: readonly boolean[],
  typs: readonly TokenForm["typ"][],
): TokenForm[] {
  const date = otherClock(clockOffsetSeconds);
  const clocks = date === undefined ? [0] : [0, date];
  const forms = clocks.flatMap((offset) =>
    typs.flatMap((typ) =>
      bound.flatMap((isBound) =>
        (["required", "all"] as const).map((scopes): TokenForm => ({
          typ,
          bound: isBound,
          scopes,
          clockOffsetSeconds: offset,
          dateOffsetSeconds: date,
        })),
      ),
    ),
  );
  const distance = (form: TokenForm): number =>
    (Object.keys(form) as (keyof TokenForm)[]).filter((key) => form[key] !== preferred[key]).length;
  return forms.toSorted((a, b) => distance(a) - distance(b));
}

/** What most deployments take: the form that is tried first of all, by this machine's clock. */
export function likelyForm(clockOffsetSeconds: number, bound: boolean): TokenForm {
  return {
    typ: "JWT",
    bound,
    scopes: "required",
    clockOffsetSeconds: 0,
    dateOffsetSeconds: otherClock(clockOffsetSeconds),
  };
}
