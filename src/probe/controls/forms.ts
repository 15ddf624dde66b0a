import type { Target } from "../../profile/target.ts";
import type { TokenForm } from "../../tokens/draft.ts";

/** A smaller offset of a `Date` header is latency and rounding, not another clock. */
const CLOCK_TOLERANCE_SECONDS = 5;

/** A larger offset cannot be the clock for tokens, which would live for more than a day by it. */
const MOST_CLOCK_OFFSET_SECONDS = 24 * 3600;

/** The deployment's clock offset where it is plausible and notable, otherwise `undefined`. */
export function otherClock(offsetSeconds: number): number | undefined {
  const apart = Math.abs(offsetSeconds);
  return apart > CLOCK_TOLERANCE_SECONDS && apart <= MOST_CLOCK_OFFSET_SECONDS
    ? offsetSeconds
    : undefined;
}

/** The `typ` values to try in good tokens: the closest to the profile's, or all without one. */
export function typsFor({ testIssuer, issued }: Target): readonly TokenForm["typ"][] {
  // Only the issuer decides the `typ` of an issued token.
  if (issued) return ["JWT"];
  const { typ } = testIssuer.header;
  if (typeof typ !== "string") return ["JWT", "at+jwt", undefined];
  return /^(?:application\/)?at\+jwt$/i.test(typ) ? ["at+jwt"] : ["JWT"];
}

/**
 * Every form that a good token may need, the most likely first: by this machine's clock, then by the
 * deployment's.
 * @param preferred a form that was accepted elsewhere; forms with fewer differences from it come
 * first
 * @param clockOffsetSeconds seconds that the deployment's `Date` header is ahead of this machine
 * @param bound the values of `bound` to try
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

/** The form that most deployments accept, by this machine's clock. It is tried first. */
export function likelyForm(clockOffsetSeconds: number, bound: boolean): TokenForm {
  return {
    typ: "JWT",
    bound,
    scopes: "required",
    clockOffsetSeconds: 0,
    dateOffsetSeconds: otherClock(clockOffsetSeconds),
  };
}
