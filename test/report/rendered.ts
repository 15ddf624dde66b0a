import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

/** Rendered as on GitHub, but without removing tags. */
export function html(text: string): string {
  return micromark(text, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
  });
}

/** Names of the tags in a page. */
export function tags(page: string): string[] {
  return [...new Set([...page.matchAll(/<([a-z][a-z0-9]*)/gi)].map(([, tag = ""]) => tag))];
}

/** What a page shows. */
export function textOf(page: string): string {
  const named = { lt: "<", gt: ">", amp: "&", quot: '"' };
  return page
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&(lt|gt|amp|quot);/g, (_, name: keyof typeof named) => named[name]);
}

/** Where GitHub looks for mentions, references, emoji and formulas. */
export function outsideCode(page: string): string {
  return textOf(page.replaceAll(/<(code|pre)[^>]*>.*?<\/\1>/gs, " "));
}
