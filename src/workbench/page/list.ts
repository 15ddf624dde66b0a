import { idInRule } from "../../contract/ids.ts";
import { SIGNS } from "../../report/html/parts.ts";
import type { CaseState, RuleState } from "../api.ts";
import { element, fill, prose } from "./dom.ts";

/** The cases by rule, with a search. Every case is a link to its address. */
export interface CaseList {
  readonly root: HTMLElement;
  show(rules: readonly RuleState[], judging: ReadonlySet<string>, opened: string | undefined): void;
  search(): void;
  /** The case whose link has the focus. */
  focused(): string | undefined;
  /** Moves the focus to the next case, or to the previous one. */
  move(step: 1 | -1): void;
}

/** @param onFound is told how many cases the search shows */
export function createList(onFound: (words: string) => void): CaseList {
  const field = element("input", {
    type: "search",
    id: "search",
    autocomplete: "off",
    spellcheck: "false",
    input: () => onFound(find()),
    // Enter goes to the first case that was found.
    keydown: (event) => {
      if ((event as KeyboardEvent).key === "Enter") links()[0]?.focus();
    },
  });
  const rows = element("div", { class: "rules" });
  const root = element(
    "nav",
    { class: "list", "aria-label": "Cases" },
    element("label", { for: "search", class: "unseen" }, "Search the cases"),
    field,
    rows,
  );
  field.placeholder = "Search the cases";

  const links = (): HTMLAnchorElement[] =>
    [...rows.querySelectorAll("a")].filter((link) => link.checkVisibility());

  /** Hides what the search does not find. */
  function find(): string {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const rule of rows.children) {
      const items = [...rule.querySelectorAll("li")];
      for (const item of items) {
        const text = `${rule.firstElementChild?.textContent} ${item.textContent}`.toLowerCase();
        item.hidden = !words.every((word) => text.includes(word));
      }
      for (const folded of rule.querySelectorAll("details")) {
        const isFound = words.length > 0 && folded.querySelector("li:not([hidden])") !== null;
        folded.open = isFound || folded.querySelector("a[aria-current]") !== null;
      }
      const some = items.filter(({ hidden }) => !hidden).length;
      (rule as HTMLElement).hidden = some === 0;
      count += some;
    }
    return count === 1 ? "1 case" : `${count} cases`;
  }

  return {
    root,
    focused,
    show(rules, judging, opened) {
      const id = focused();
      fill(
        rows,
        rules.map((rule) => ruleItem(rule, judging, opened)),
      );
      find();
      links()
        .find(({ dataset }) => dataset["case"] === id)
        ?.focus();
    },
    search() {
      field.focus();
      field.select();
    },
    move(step) {
      const all = links();
      const current = rows.querySelector<HTMLAnchorElement>("a[aria-current]");
      const from = document.activeElement as HTMLAnchorElement;
      const at = all.indexOf(all.includes(from) ? from : (current ?? from));
      const next = at < 0 ? all[0] : all[at + step];
      next?.focus();
      next?.scrollIntoView({ block: "nearest" });
    },
  };
}

function focused(): string | undefined {
  return (document.activeElement as HTMLElement | null)?.dataset["case"];
}

/** The address of a case on this page. */
function addressOf(id: string): string {
  return `#${encodeURIComponent(id)}`;
}

function ruleItem(
  { id, title, level, cases }: RuleState,
  judging: ReadonlySet<string>,
  opened: string | undefined,
): HTMLElement {
  const undecided = cases.filter(({ outcome, now = outcome }) => now === "inconclusive");
  const decided = cases.filter((one) => !undecided.includes(one));
  const items = (some: readonly CaseState[]): HTMLElement =>
    element(
      "ul",
      {},
      some.map((one) => element("li", {}, caseLink(one, level, judging.has(one.id), opened))),
    );
  return element(
    "section",
    {},
    element(
      "h2",
      {},
      element("code", {}, id),
      " ",
      element("small", {}, level),
      element("small", { class: "title" }, prose(title)),
    ),
    items(decided),
    // They often have one cause, and are many.
    undecided.length > 0 &&
      element(
        "details",
        { open: undecided.some((one) => one.id === opened) },
        element("summary", {}, `${undecided.length} inconclusive`),
        items(undecided),
      ),
  );
}

function caseLink(
  one: CaseState,
  levelOfRule: string,
  isJudged: boolean,
  opened: string | undefined,
): HTMLElement {
  return element(
    "a",
    {
      href: addressOf(one.id),
      "data-case": one.id,
      "aria-current": one.id === opened && "true",
      "aria-busy": isJudged && "true",
    },
    sign(one),
    element(
      "span",
      {},
      element("code", {}, idInRule(one.id)),
      " ",
      element(
        "small",
        { class: "outcome" },
        isJudged ? "is being judged" : outcomeWords(one),
        one.level !== levelOfRule && ` · ${one.level}`,
      ),
      one.title !== undefined && element("small", { class: "title" }, prose(one.title)),
    ),
  );
}

/** The outcome, and the one before where it was judged again: `fail → pass`. */
export function outcomeWords({ outcome, now }: Pick<CaseState, "outcome" | "now">): string {
  return now === undefined ? outcome : `${outcome} → ${now}`;
}

/** The sign of the outcome that a case has now. Words beside it state it too. */
export function sign({ outcome, now = outcome }: Pick<CaseState, "outcome" | "now">): HTMLElement {
  return element("span", { class: `sign ${now}`, "aria-hidden": "true" }, SIGNS[now]);
}
