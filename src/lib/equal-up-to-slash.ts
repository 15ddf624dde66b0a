/** Whether a value is a URL, apart from a slash at the end of either. */
export function isEqualUpToSlash(value: unknown, url: string): value is string {
  return typeof value === "string" && withoutSlash(value) === withoutSlash(url);
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}
