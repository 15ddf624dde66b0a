import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { fixturePath } from "../../lib/package-root.ts";
import {
  type Content,
  html as template,
  scriptElement,
  toSource,
  unmarked,
  verbatim,
} from "./markup.ts";

export interface Section {
  readonly id: string;
  readonly name: string;
}

export interface PageParts {
  readonly title: string;
  /** Names of files in `fixtures/html`. */
  readonly styles: readonly string[];
  /** Name of a file in `fixtures/html`; absent when the page has no script. */
  readonly script?: string | undefined;
  readonly sections: readonly Section[];
  readonly head: Content;
  readonly main: Content;
  readonly data?: Content;
}

/** A self-contained page. Its content security policy permits its own style and script. */
export function pageOf({ title, styles, script, sections, head, main, data }: PageParts): string {
  const body = template`<nav class="sections" aria-label="Sections">${sections.map(({ id, name }) => template`<a href="#${id}">${name}</a> `)}</nav>
<header>
${head}
</header>
<main>
${main}</main>
${data}`;
  const code = script === undefined ? undefined : content(script);
  return documentOf({ title, styles, code, body }).source;
}

export interface DocumentParts extends Pick<PageParts, "title" | "styles"> {
  /** The module that the page runs. */
  readonly code?: string | undefined;
  /** Whether the module speaks to the server that the page is from. Default: it speaks to nobody. */
  readonly connects?: boolean;
  readonly body: Content;
}

/** A page with its own style and script, and the content security policy that permits them alone. */
export function documentOf({ title, styles, code, connects = false, body }: DocumentParts): {
  readonly source: string;
  readonly policy: string;
} {
  const style = styles.map(content).join("");
  const policy = [
    "default-src 'none'",
    `style-src ${digest(style)}`,
    ...(code === undefined ? [] : [`script-src ${digest(code)}`]),
    ...(connects ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
  const source = toSource(template`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${verbatim(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${unmarked(title)}</title>
<style>${verbatim(style)}</style>
</head>
<body>
${body}${code !== undefined && scriptElement('type="module"', code)}
</body>
</html>
`);
  return { source, policy };
}

function content(name: string): string {
  return readFileSync(fixturePath("html", name), "utf8");
}

function digest(source: string): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
}
