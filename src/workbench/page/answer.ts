import { counted } from "../../lib/words.ts";
import { indentJson } from "../../report/html/indent-json.ts";
import type { ContractSays, Exported, ExportRequest, Sent } from "../api.ts";
import { block, button, type Child, element, fill, prose } from "./dom.ts";
import { answerInWords } from "./pairs.ts";

/** What the contract says of a request that was sent, and what the deployment answered. */
export function answerView(
  sent: Sent,
  exported: (as: ExportRequest["as"]) => Promise<Exported>,
): HTMLElement {
  return element(
    "div",
    { class: "answer" },
    element("p", { class: `agreement ${agreementOf(sent)}` }, agreementInWords(sent)),
    element(
      "dl",
      { class: "facts" },
      fact("The contract", contractView(sent.contract)),
      fact("The deployment", deploymentView(sent)),
    ),
    sentAs(sent),
    makeOf(exported),
  );
}

function fact(name: string, value: Child): HTMLElement {
  return element("div", {}, element("dt", {}, name), element("dd", {}, value));
}

/** The outcome whose colour it has. */
export function agreementOf({ agrees }: Sent): "pass" | "fail" | "observed" {
  if (agrees === undefined) return "observed";
  return agrees ? "pass" : "fail";
}

/** What the deployment decided, beside what the contract says. The form of its answer plays no part. */
export function agreementInWords({ agrees, contract, answer, number }: Sent): string {
  const first = `No. ${number}: `;
  if (answer.is === "none") return `${first}There was no answer, so nothing can be said.`;
  if (contract.is === "open") {
    return `${first}The contract leaves this open, so any answer conforms.`;
  }
  if (agrees === undefined) return `${first}The answer does not show what the deployment decided.`;
  const verb = { accepted: "accepts", rejected: "rejects" }[contract.is];
  if (agrees) return `${first}The deployment ${verb} it, as the contract says.`;
  if (contract.is === "rejected" && answer.status >= 400) {
    return `${first}The deployment rejects it, but not with ${contract.status ?? "the right status"}.`;
  }
  return `${first}The contract says that it is ${contract.is}, and it is not.`;
}

export function contractInWords(contract: ContractSays): string {
  if (contract.is === "open") return "open";
  return contract.level === "SHOULD" ? `${contract.is}, SHOULD` : contract.is;
}

function contractView(contract: ContractSays): Child {
  const head = element("strong", {}, contractInWords(contract));
  switch (contract.is) {
    case "open":
      return [
        head,
        ": ",
        prose(contract.because),
        contract.clause !== undefined && element("small", {}, ` ${contract.clause}`),
      ];
    case "accepted":
      return [head, ": “", prose(contract.sentence), "” ", element("small", {}, contract.clause)];
    case "rejected":
      return [
        head,
        contract.status !== undefined && ` with ${contract.status}`,
        " by ",
        counted(contract.by.length, "check"),
        element(
          "ul",
          {},
          contract.by.map(({ check, reason, sentence, clause, level }) =>
            element(
              "li",
              {},
              element("strong", {}, check),
              ", because ",
              prose(reason),
              ". ",
              element("small", {}, "“", prose(sentence), `” ${clause}, ${level}`),
            ),
          ),
        ),
      ];
  }
}

function deploymentView({ answer }: Sent): Child {
  const words = [element("strong", {}, answerInWords(answer)), ` after ${answer.ms} ms`];
  if (answer.is === "none") return words;
  const headers = answer.headers.map(([name, value]) => `${name}: ${value}`).join("\n");
  return [
    words,
    answer.body === ""
      ? element("p", { class: "quiet" }, "The answer has no body.")
      : block(indentJson(answer.body), "Body of the answer"),
    answer.truncated && element("p", { class: "quiet" }, "The rest was not kept."),
    element(
      "details",
      {},
      element("summary", {}, counted(answer.headers.length, "header field")),
      block(headers, "Header fields of the answer"),
    ),
  ];
}

/** The request as it went out, with the token that it had. */
function sentAs({ method, path, headers, body, token, signedWith }: Sent): HTMLElement {
  const fields = headers.map(([name, value]) => `${name}: ${value}`).join("\n");
  return element(
    "details",
    {},
    element("summary", {}, "The request as sent"),
    block(
      `${method} ${path}\n${fields}${body === undefined ? "" : `\n\n${indentJson(body)}`}`,
      "The request",
    ),
    token && [
      element(
        "p",
        { class: "part" },
        "Token, decoded",
        signedWith && ` · signed with ${signedWith.alg}, key ${signedWith.kid}`,
      ),
      block(JSON.stringify(token, null, 2), "The token"),
    ],
  );
}

const FORMATS: readonly (readonly [as: ExportRequest["as"], words: string])[] = [
  ["case", "a case of your pack"],
  ["curl", "curl"],
  ["http", "a .http file"],
];

/** Makes something of the request that is kept: buttons that show it, and one that copies what is shown. */
function makeOf(exported: (as: ExportRequest["as"]) => Promise<Exported>): HTMLElement {
  const shown = element("div", { role: "status" });
  const show = async (as: ExportRequest["as"]): Promise<void> => {
    try {
      const { text, file } = await exported(as);
      const code = block(text, file);
      fill(shown, element("p", { class: "part" }, file, " ", copyButton(text, code)), code);
    } catch (error) {
      fill(shown, (error as Error).message);
    }
  };
  return element(
    "div",
    { class: "make" },
    element("span", {}, "Make it "),
    FORMATS.map(([as, words]) => button(words, () => void show(as))),
    shown,
  );
}

function copyButton(text: string, code: HTMLElement): HTMLElement {
  const made = button("Copy", () => void copy(), { class: "copy", "aria-live": "polite" });
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      made.textContent = "Copied";
    } catch {
      getSelection()?.selectAllChildren(code);
      made.textContent = "Selected: press Ctrl+C";
    }
  }
  return made;
}
