const PREFIX = "receiver.";

/** Shortens the id of a rule or case for people: `audience/other` for `receiver.audience/other`. */
export function shortId(id: string): string {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id;
}

/** Completes a shortened id. Every rule id has an area, and a missing area is `receiver`. */
export function wholeId(id: string): string {
  const [rule = ""] = id.split("/", 1);
  return rule.includes(".") ? id : `${PREFIX}${id}`;
}
