import { TIME_CLAIMS } from "../../contract/claims.ts";
import type { Difference } from "../../probe/difference/difference.ts";

/** A difference in words: its place, the control's value, the probe's value. */
interface DifferenceWords {
  /** `claim exp`, `request path`. */
  readonly where: string;
  /** Absent when `probe` describes the whole difference. */
  readonly control?: string;
  readonly probe: string;
}

export function differenceTexts(differences: readonly Difference[] | undefined): string[] {
  return (differences ?? []).map((difference) => {
    const { where, control, probe } = differenceWords(difference);
    return control === undefined ? `${where}: ${probe}` : `${where}: ${control} -> ${probe}`;
  });
}

export function differenceWords(difference: Difference): DifferenceWords {
  switch (difference.part) {
    case "header":
    case "claim":
      return {
        where: `${difference.part} ${difference.name}`,
        control: member(difference, difference.control),
        probe: member(difference, difference.probe),
      };
    case "segments":
      return {
        where: "segments",
        control: String(difference.control),
        probe: String(difference.probe),
      };
    case "encoding":
      return { where: difference.of, probe: "the same bytes, encoded differently" };
    case "text":
      return {
        where: `${difference.of} from character ${difference.at}`,
        control: `\`${difference.control}\``,
        probe: `\`${difference.probe}\``,
      };
    case "signature":
      return signatureWords(difference);
    case "field":
      return { where: `request header ${difference.name}`, ...sides(difference) };
    case "authorization":
      return { where: "request header authorization", ...sides(difference) };
    case "method":
    case "path":
    case "body":
      return { where: `request ${difference.part}`, ...sides(difference) };
  }
}

function signatureWords({
  control,
  probe,
  at,
}: Extract<Difference, { part: "signature" }>): DifferenceWords {
  const where = "signature";
  if (probe === 0) return { where, probe: "none" };
  if (at !== undefined) return { where, probe: `byte ${at} of ${control} differs` };
  return control === probe
    ? { where, probe: `other bytes, ${control} as before` }
    : { where, control: `${control} bytes`, probe: `${probe} bytes` };
}

function sides(difference: {
  control?: string | undefined;
  probe?: string | undefined;
}): Pick<Required<DifferenceWords>, "control" | "probe"> {
  return { control: difference.control ?? ABSENT, probe: difference.probe ?? ABSENT };
}

const ABSENT = "absent";

/** NumericDates of ten digits: from 2001 to 2286. Other numbers are hardly meant as a time. */
const FIRST_TIME = 1e9;
const LAST_TIME = 1e10;

/** A member of a token as JSON, and the time in UTC if it stands for one. */
function member(
  { part, name }: Extract<Difference, { part: "header" | "claim" }>,
  value: unknown,
): string {
  if (value === undefined) return ABSENT;
  const json = JSON.stringify(value);
  return part === "claim" && TIME_CLAIMS.includes(name) && isTime(value)
    ? `${json} (${new Date(value * 1000).toISOString().replace(".000Z", "Z")})`
    : json;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && value >= FIRST_TIME && value < LAST_TIME;
}
