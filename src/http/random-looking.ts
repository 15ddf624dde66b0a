import { isUuid } from "../contract/uuid.ts";

const SHORTEST = 16;
/** Changes between small letters, capitals and digits: words and dates have fewer. */
const FEWEST_CHANGES = 4;

/**
 * Whether a header value has sixteen or more characters in a row as a generator of keys makes them. A UUID is none: it
 * is usually the id of a tenant, which answers may show.
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
