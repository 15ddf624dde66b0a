import { TIME_CLAIMS } from "../../contract/claims.ts";

/** NumericDates of ten digits: from 2001 to 2286. Other numbers are hardly meant as a time. */
const FIRST_TIME = 1e9;
const LAST_TIME = 1e10;

/** A member of a token as JSON, and the time in UTC if it stands for one. */
export function memberValue(part: "header" | "claim", name: string, value: unknown): string {
  const json = JSON.stringify(value);
  return part === "claim" && TIME_CLAIMS.includes(name) && isTime(value)
    ? `${json} (${new Date(value * 1000).toISOString().replace(".000Z", "Z")})`
    : json;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && value >= FIRST_TIME && value < LAST_TIME;
}
