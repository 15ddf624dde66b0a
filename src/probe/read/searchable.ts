/**
 * A body in lower case, in which written values can be searched for. A JSON serializer may escape any character, RFC 8259
 * section 7, and some escape all that other formats treat specially.
 */
export function searchable(body: string): string {
  return body
    .toLowerCase()
    .replaceAll(/\\u00([2-7][\da-f])/g, (_escape, code: string) =>
      String.fromCodePoint(Number.parseInt(code, 16)).toLowerCase(),
    );
}
