/** Whether a value is a URL that some reading considers equal: with a slash at its end, its host in another case, the default port, or other slashes. */
export function isSameUrl(value: unknown, url: string): boolean {
  if (typeof value !== "string") return false;
  const [one, other] = [normal(value), normal(url)];
  return one !== undefined && one === other;
}

function normal(text: string): string | undefined {
  // Parsers of the URL Standard add the slashes after the scheme where some are missing, and take a backslash for a slash.
  if (!/^https?:\S*$/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href.replace(/\/$/, "");
}
