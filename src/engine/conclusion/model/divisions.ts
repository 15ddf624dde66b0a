import type { OperationId } from "../../../contract/operations.ts";
import { listed } from "../../../lib/words.ts";
import { placed } from "../places.ts";
import type { Asked } from "./asked.ts";

/** A way to divide requests into kinds, for some of which a check may have been forgotten. */
export interface Division {
  /** `undefined`: it is of no kind. */
  readonly of: (asked: Asked) => string | undefined;
  /** So many requests must speak for the one side, and so many for the other. */
  readonly least: number;
  /** The kinds to which something is limited, as the end of a sentence. */
  readonly words: (on: ReadonlySet<string>, not: ReadonlySet<string>) => string;
}

/** Fewer requests may be of one kind by chance. */
const NOT_BY_CHANCE = 2;

/** What implementations decide by where they make a check for some requests alone; the most usual first. */
export const DIVISIONS: readonly Division[] = [
  {
    of: ({ operation }) => operation,
    least: 1,
    words: (on, not) => placed(on as ReadonlySet<OperationId>, not as ReadonlySet<OperationId>),
  },
  {
    of: ({ token, known: { bindingClaim = "" } }) =>
      token?.claims && (Object.hasOwn(token.claims, bindingClaim) ? "bound" : "unbound"),
    least: NOT_BY_CHANCE,
    words: (on) =>
      on.has("bound")
        ? ", if the token is bound to an organization"
        : ", if the token is bound to no organization",
  },
  {
    of: ({ token }) => {
      const alg = token?.header?.["alg"];
      return typeof alg === "string" ? alg : undefined;
    },
    least: NOT_BY_CHANCE,
    words: (on, not) => `, with ${inOrder(on)} as \`alg\` but not with ${inOrder(not)}`,
  },
  {
    of: ({ token }) =>
      token?.header && (Object.hasOwn(token.header, "kid") ? "with kid" : "without"),
    least: NOT_BY_CHANCE,
    words: (on) =>
      on.has("without") ? ", if the token has no `kid`" : ", if the token has a `kid`",
  },
  {
    of: ({ token }) => {
      const sub = token?.claims?.["sub"];
      return typeof sub === "string" ? sub : undefined;
    },
    least: NOT_BY_CHANCE,
    words: () => ", for some subjects but not for others",
  },
];

function inOrder(kinds: ReadonlySet<string>): string {
  return listed([...kinds].toSorted());
}
