/**
 * Where a text differs from another one: what both begin with, what only it has, and what both end with.
 * The second is empty if the other text merely has more. The three together are the text.
 */
export function differingPart(
  text: string,
  other: string,
): readonly [before: string, differing: string, after: string] {
  const most = Math.min(text.length, other.length);
  let start = 0;
  while (start < most && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  const last = text.length - end;
  return [text.slice(0, start), text.slice(start, last), text.slice(last)];
}
