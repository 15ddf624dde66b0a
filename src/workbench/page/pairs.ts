import type { Exchange } from "../../http/exchange.ts";
import { differingPart } from "../../lib/differing-part.ts";
import type { Difference } from "../../probe/difference/difference.ts";
import { requestRows, responseRows, tokenRows } from "../../report/exchange-rows.ts";
import type { Row } from "../../report/layout.ts";
import type { Answer, DifferenceState, Shown } from "../api.ts";
import { type Child, element, lines } from "./dom.ts";

/** A request with its answer, under a name: `Control`, `No. 3`. */
export interface Side {
  readonly name: string;
  readonly shown: Shown | undefined;
}

/**
 * Two requests with their tokens and answers, line beside line. What differs is marked. Where there is no left one, one request.
 * @param differences what the report says about them; by default they are compared here
 */
export function pairTable(
  left: Side,
  right: Side & { readonly shown: Shown },
  differences: readonly DifferenceState[] = [],
): HTMLElement {
  const pair = { control: left.shown && exchangeOf(left.shown), probe: exchangeOf(right.shown) };
  // The rows read part and name alone.
  const known = differences as readonly Difference[];
  const groups: readonly (readonly [string, readonly Row[]])[] = [
    ["Request", requestRows(pair, "")],
    ["Token header", tokenRows(pair, "header", known)],
    ["Token claims", tokenRows(pair, "claim", known)],
    ["Token bytes", byteRows(differences)],
    ["Answer", [answerRow(left.shown?.answer, right.shown.answer), ...responseRows(pair).slice(1)]],
  ];
  return element(
    "table",
    { class: "pair" },
    element(
      "caption",
      { class: "unseen" },
      left.shown ? `${left.name} and ${right.name}, side by side` : right.name,
    ),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        (left.shown ? [left.name, right.name] : [right.name]).map((name) =>
          element("th", { scope: "col" }, name),
        ),
      ),
    ),
    groups.flatMap(([name, rows]) => (rows.length > 0 ? [group(name, rows, left, right)] : [])),
  );
}

function group(name: string, rows: readonly Row[], left: Side, right: Side): HTMLElement {
  const head = element("th", { scope: "rowgroup", colspan: "2" }, name);
  return element(
    "tbody",
    {},
    element("tr", { class: "group" }, head),
    rows.map(({ control, probe, differs }) => {
      const [was, is] = [control?.join("\n"), probe?.join("\n")];
      const isMarked = differs && left.shown !== undefined;
      return element(
        "tr",
        { class: isMarked ? "differs" : "alike" },
        left.shown && cell(left.name, was, isMarked ? (is ?? "") : was),
        cell(right.name, is, isMarked ? (was ?? "") : is, isMarked),
      );
    }),
  );
}

function cell(
  name: string,
  text: string | undefined,
  other: string | undefined,
  isMarked = false,
): HTMLElement {
  const sign = isMarked && element("span", { class: "unlike", title: "differs" }, "≠");
  const content =
    text === undefined
      ? element("span", { class: "quiet" }, "absent")
      : element("code", {}, marked(text, other ?? ""));
  return element("td", { "data-side": name }, sign, content);
}

/** A text in which the part is marked that another one does not have. */
function marked(text: string, other: string): Child {
  if (text === other) return lines(text);
  const [before, differing, after] = differingPart(text, other);
  return [lines(before), differing !== "" && element("mark", {}, lines(differing)), lines(after)];
}

const OF_BYTES: ReadonlySet<string> = new Set(["segments", "encoding", "text", "signature"]);

/** The bytes in which a token differs from the one that was signed, which header and claims do not show. */
function byteRows(differences: readonly DifferenceState[]): Row[] {
  return differences
    .filter(({ part }) => OF_BYTES.has(part))
    .map(({ where, control = "as signed", probe }) => ({
      control: [`${where}: ${control}`],
      probe: [`${where}: ${probe}`],
      differs: true,
    }));
}

/** The status, or why there is no answer. */
export function answerInWords(answer: Answer): string {
  return answer.is === "response" ? String(answer.status) : `no answer: ${answer.because}`;
}

function answerRow(was: Answer | undefined, is: Answer): Row {
  const [control, probe] = [was && answerInWords(was), answerInWords(is)];
  return {
    control: was && [`${control} after ${was.ms} ms`],
    probe: [`${probe} after ${is.ms} ms`],
    differs: control !== probe,
  };
}

/** As the rows of a report take it. */
function exchangeOf({ method, path, headers, body, token, answer, startedAt }: Shown): Exchange {
  const request = { method, url: path, headers, body, token };
  const sent = { id: "", caseId: "", request, startedAt, durationMs: answer.ms };
  if (answer.is === "none") return sent;
  const { status, headers: fields, body: text, truncated } = answer;
  const response = { status, headers: Object.fromEntries(fields), body: text, truncated };
  return { ...sent, response };
}
