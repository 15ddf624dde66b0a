import { areaOf } from "../../contract/ids.ts";
import { idInRule } from "../../contract/ids.ts";
import { counted } from "../../lib/words.ts";
import type { CaseDetail, OneOfAll, Start } from "../api.ts";
import { button, type Child, element, prose } from "./dom.ts";
import { outcomeWords, sign } from "./list.ts";
import { answerInWords, pairTable } from "./pairs.ts";

/** What a click on a case can ask for. */
export interface CaseActions {
  readonly judgeCase: () => void;
  readonly judgeRule: () => void;
  /** Puts a request into the form. Absent where there is no form. */
  readonly edit?: ((start: Start) => void) | undefined;
}

/** A case: what it is about, its control and its probe side by side, and why that is wrong. */
export function caseView(one: CaseDetail, canJudge: boolean, actions: CaseActions): HTMLElement {
  const { rule, level, operation } = one;
  const disabled = !canJudge;
  return element(
    "section",
    { class: "case", "aria-labelledby": "case" },
    element(
      "h2",
      { id: "case", tabindex: "-1" },
      sign(one),
      " ",
      element("code", {}, idInRule(one.id)),
    ),
    element(
      "p",
      { class: "about" },
      element("strong", { class: `outcome ${one.now ?? one.outcome}` }, outcomeWords(one)),
      ` · ${level}`,
      operation !== undefined && ` · ${operation}`,
      " · ",
      element("code", {}, rule.id),
      ": ",
      prose(rule.title),
    ),
    element(
      "p",
      { class: "buttons" },
      button([element("kbd", {}, "r"), " Judge this case again"], actions.judgeCase, { disabled }),
      button("Judge this rule again", actions.judgeRule, { disabled }),
    ),
    glance(one),
    comparison(one),
    allRequests(one, actions),
  );
}

function glance(one: CaseDetail): HTMLElement {
  const { title, expected, actual, reason, why, source, diagnoses } = one;
  const clause = one.clause ?? one.rule.clause;
  const rows: readonly (readonly [string, Child])[] = [
    ["Tried", title !== undefined && prose(title)],
    ["Expected", expected !== undefined && prose(expected)],
    ["Actual", actual !== undefined && prose(actual)],
    ["Reason", reason !== undefined && prose(reason)],
    ["Contract", contractWords(one.requirement, clause)],
    ["Why", why !== undefined && prose(why)],
    ["Source", source],
    ["Looks like", diagnoses.length > 0 && diagnoses.map((text) => element("p", {}, prose(text)))],
  ];
  return element(
    "dl",
    { class: "facts" },
    rows.flatMap(([name, value]) =>
      value === undefined || value === false
        ? []
        : [element("div", {}, element("dt", {}, name), element("dd", {}, value))],
    ),
  );
}

function contractWords(requirement: string | undefined, clause: string): Child {
  const source = element("small", {}, clause);
  if (requirement === undefined) return source;
  const quoted = clause.startsWith("RFC ") ? requirement : `“${requirement}”`;
  return [prose(quoted), " ", source];
}

function comparison(one: CaseDetail): Child {
  const { control, probe, differences } = one;
  if (!probe) return element("p", { class: "quiet" }, "This case keeps no request of its own.");
  const left = { name: "Control", shown: control };
  return [pairTable(left, { name: "Probe", shown: probe }, differences), sameAnswer(one)];
}

/** Says that the probe got the same answer as the control, where a check of the receiver has to tell them apart. */
function sameAnswer({ id, outcome, now = outcome, control, probe }: CaseDetail): Child {
  const [was, is] = [control?.answer, probe?.answer];
  if (
    now !== "fail" ||
    areaOf(id) !== "receiver" ||
    was?.is !== "response" ||
    is?.is !== "response"
  )
    return undefined;
  if (was.status !== is.status || is.status >= 300) return undefined;
  const words = `Control and probe got the same answer, ${is.status}: that is the fault.`;
  return element("p", { class: "same" }, words);
}

/** The requests of a case that rests on many. Each can be opened, and put into the form. */
function allRequests({ all }: CaseDetail, { edit }: CaseActions): Child {
  if (all.length === 0) return undefined;
  return element(
    "details",
    { class: "all" },
    element("summary", {}, `All ${counted(all.length, "request")} of this case`),
    element(
      "ol",
      {},
      all.map((one, at) => element("li", {}, oneOfAll(one, at + 1, edit))),
    ),
  );
}

function oneOfAll({ shown, start }: OneOfAll, number: number, edit: CaseActions["edit"]): Child {
  const { method, path, answer } = shown;
  const name = `Request ${number}`;
  const details = element(
    "details",
    {
      // Drawn when it is opened, because there may be many.
      toggle() {
        if (details.open && details.childElementCount === 1) {
          details.append(pairTable({ name: "", shown: undefined }, { name, shown }));
        }
      },
    },
    element("summary", {}, element("code", {}, `${method} ${path}`), ` → ${answerInWords(answer)}`),
  );
  const named = { "aria-label": `Edit request ${number}` };
  return [details, start && edit && button("Edit", () => edit(start), named)];
}
