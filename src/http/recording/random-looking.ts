import { isUuid } from "../../contract/uuid.ts";

const SHORTEST = 16;
/** Changes between lower case, upper case and digits. Words and dates have fewer. */
const FEWEST_CHANGES = 4;

/**
 * Whether a header value holds sixteen or more characters in a row that look like a generated key. A
 * UUID does not count: it usually identifies a tenant, which responses may show.
 */
export function isRandomLooking(value: string): boolean {
  return value
    .split(/[^\w~+/-]+/)
    .some((part) => part.length >= SHORTEST && !isUuid(part) && isMixed(part));
}

function isMixed(part: string): boolean {
  const words = part.match(/[a-z\d]+/gi) ?? [];
  const kinds = part.match(/[a-z]+|[A-Z]+|\d+/g) ?? [];
  return kinds.length - words.length >= FEWEST_CHANGES;
}
