import type { Edit } from "./edits/edit.ts";
import { ID_EDITS } from "./edits/id.ts";
import { NUMBER_EDITS } from "./edits/number.ts";
import { EDITS } from "./edits/text.ts";
import { URL_EDITS } from "./edits/url.ts";

/** Every edit, by its name with what it is an edit of. */
export const ALL_EDITS: Readonly<Record<string, Edit>> = {
  ...EDITS,
  ...prefixed("URL", URL_EDITS),
  ...prefixed("id", ID_EDITS),
  ...prefixed("number", NUMBER_EDITS),
};

function prefixed(of: string, edits: Readonly<Record<string, Edit>>): Record<string, Edit> {
  return Object.fromEntries(Object.entries(edits).map(([name, edit]) => [`${of}: ${name}`, edit]));
}

/** An edit as data. */
export interface Edited {
  /** A name in `ALL_EDITS`. */
  readonly how: string;
  readonly n: number;
}

/** The right text after an edit. A result that is no text stays as it is. */
export function edited(right: string, { how, n }: Edited): unknown {
  const made = ALL_EDITS[how]?.make(right, n);
  // Half of a character is in no URL and in no UTF-8.
  return typeof made === "string" ? made.replaceAll(/\p{Cs}/gu, "\uFFFD") : made;
}
