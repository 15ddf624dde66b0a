import { SIGNS } from "../../report/html/parts.ts";
import type { Sent } from "../api.ts";
import { agreementOf, contractInWords } from "./answer.ts";
import { button, element, fill } from "./dom.ts";
import { answerInWords, pairTable } from "./pairs.ts";

/** The list of what was sent: each request can be repeated, put into the form again, and compared with another one. */
export interface SentList {
  readonly root: HTMLElement;
  show(sent: readonly Sent[]): void;
}

export interface SentActions {
  /** Shows a request with its answer. */
  open(sent: Sent): void;
  repeat(sent: Sent): void;
  /** Puts it into the form. */
  edit(sent: Sent): void;
}

export function createSent(actions: SentActions): SentList {
  /** The numbers of those that are compared, the one that was chosen last at the end. */
  let chosen: number[] = [];
  let all: readonly Sent[] = [];
  const rows = element("tbody");
  const compared = element("div", { "aria-live": "polite" });
  const table = element(
    "table",
    {},
    element("caption", { class: "unseen" }, "What was sent, the latest first"),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        ["Compare", "No.", "Request", "Answer", "Contract", "Again"].map((name) =>
          element("th", { scope: "col" }, name),
        ),
      ),
    ),
    rows,
  );
  const root = element(
    "section",
    { class: "sent", "aria-labelledby": "sent", hidden: true },
    element("h2", { id: "sent" }, "Sent"),
    element("div", { class: "scroll" }, table),
    compared,
  );

  function choose(number: number, isChosen: boolean): void {
    const others = chosen.filter((one) => one !== number);
    chosen = isChosen ? [...others, number].slice(-2) : others;
    for (const box of rows.querySelectorAll<HTMLInputElement>("input")) {
      box.checked = chosen.includes(Number(box.value));
    }
    compare();
  }

  function compare(): void {
    const [left, right] = chosen
      .toSorted((a, b) => a - b)
      .flatMap((number) => all.filter((one) => one.number === number));
    if (!left || !right) {
      const isOne = chosen.length === 1;
      return fill(compared, isOne && element("p", { class: "quiet" }, "Choose another one."));
    }
    fill(compared, pairTable(side(left), side(right)));
  }

  return {
    root,
    show(sent) {
      all = sent;
      root.hidden = sent.length === 0;
      fill(
        rows,
        sent.toReversed().map((one) => row(one, chosen.includes(one.number), choose, actions)),
      );
      compare();
    },
  };
}

function side(shown: Sent): { name: string; shown: Sent } {
  return { name: `No. ${shown.number}`, shown };
}

function row(
  one: Sent,
  isChosen: boolean,
  choose: (number: number, isChosen: boolean) => void,
  actions: SentActions,
): HTMLElement {
  const { number, method, path, contract, answer } = one;
  const box = element("input", {
    type: "checkbox",
    value: String(number),
    "aria-label": `Compare no. ${number}`,
    change: () => choose(number, box.checked),
  });
  box.checked = isChosen;
  const agreement = agreementOf(one);
  const named = { "aria-label": `Open no. ${number}` };
  return element(
    "tr",
    {},
    element("td", {}, box),
    element(
      "td",
      {},
      button(number, () => actions.open(one), { ...named, class: "plain" }),
    ),
    element("th", { scope: "row" }, element("code", {}, `${method} ${path}`)),
    element(
      "td",
      {},
      element("span", { class: `sign ${agreement}`, "aria-hidden": "true" }, SIGNS[agreement]),
      ` ${answerInWords(answer)}`,
    ),
    element("td", {}, contractInWords(contract)),
    element(
      "td",
      { class: "buttons" },
      button("Repeat", () => actions.repeat(one), { "aria-label": `Repeat no. ${number}` }),
      button("Edit", () => actions.edit(one), { "aria-label": `Edit no. ${number}` }),
    ),
  );
}
