const PREFIX = "receiver.";

/** The id of a rule or case as people may shorten it: `audience/other` for `receiver.audience/other`. */
export function shortId(id: string): string {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id;
}

/** The whole id of a rule or case that may be shortened: every rule has an area, and a missing one is `receiver`. */
export function wholeId(id: string): string {
  const [rule = ""] = id.split("/", 1);
  return rule.includes(".") ? id : `${PREFIX}${id}`;
}
