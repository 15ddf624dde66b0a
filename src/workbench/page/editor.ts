import type {
  CaseDetail,
  DifferenceState,
  Edited,
  HeaderLines,
  OperationState,
  ProfileState,
  Start,
} from "../api.ts";
import { button, type Child, element, fill, prose } from "./dom.ts";
import { exactField, field, Mistake } from "./fields.ts";
import { createToken } from "./token.ts";

/** The form of a request: its line, its header fields, its body, and its token. */
export interface Editor {
  readonly root: HTMLElement;
  /** Fills the form. */
  set(edited: Edited, lacks?: readonly string[]): void;
  /** What the form can begin with, for the case that is shown. */
  offer(one?: Pick<CaseDetail, "start" | "differences">): void;
  allowSending(isOn: boolean): void;
  /** Focuses the field in which the case differs from its control, or else the path. */
  focus(): void;
}

export interface EditorActions {
  readonly send: (edited: Edited) => void;
  /** Asks for a good request for an operation. */
  readonly begin: (operation: string) => void;
}

/** @param below what stands under the form: questions before something is sent, and the answer */
export function createEditor(
  profile: ProfileState,
  actions: EditorActions,
  below: readonly HTMLElement[],
): Editor {
  const method = element("input", { id: "method", list: "methods", autocomplete: "off" });
  const path = exactField(
    element("input", { id: "path", autocomplete: "off", spellcheck: "false" }),
  );
  const headers = exactField(
    element("textarea", { id: "headers", rows: "3", spellcheck: "false" }),
  );
  const body = exactField(element("textarea", { id: "body", rows: "4", spellcheck: "false" }));
  const hasBody = element("input", {
    type: "checkbox",
    id: "has-body",
    change: () => (bodyField.hidden = !hasBody.checked),
  });
  const bodyField = field("body", "Body", body.input);
  const token = createToken(profile);
  const starts = element("div", { class: "starts" });
  const lacking = element("ul", { class: "lacks" });
  const mistake = element("p", { class: "mistake", id: "mistake", role: "alert" });
  const sendButton = element("button", { class: "main" }, "Send");
  let differences: readonly DifferenceState[] = [];

  /** The field that has a difference. */
  function fieldOf({ part, name = "" }: DifferenceState): HTMLElement {
    switch (part) {
      case "path":
        return path.input;
      case "method":
        return method;
      case "body":
        return body.input;
      case "field":
        return headers.input;
      case "claim":
      case "header":
        return token.fieldOf(part, name);
      default:
        return part === "authorization" ? headers.input : token.choice;
    }
  }

  function read(): Edited {
    return {
      method: method.value.trim(),
      path: path.get(),
      headers: headersOf(headers.get(), headers.input),
      ...(hasBody.checked && { body: body.get() }),
      credential: token.get(),
    };
  }

  function send(): void {
    if (sendButton.disabled) return;
    form.querySelector("[aria-invalid]")?.removeAttribute("aria-invalid");
    fill(mistake);
    try {
      actions.send(read());
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      const { field: wrong, message } = error;
      const name = form.querySelector(`label[for="${wrong.id}"]`)?.textContent ?? "";
      fill(mistake, `${name}: ${message}.`);
      wrong.setAttribute("aria-invalid", "true");
      wrong.setAttribute("aria-errormessage", mistake.id);
      wrong.focus();
    }
  }

  const form = element(
    "form",
    {
      class: "editor",
      submit: (event) => {
        event.preventDefault();
        send();
      },
      keydown: (event) => {
        const { key, ctrlKey, metaKey } = event as KeyboardEvent;
        if (key !== "Enter" || !(ctrlKey || metaKey)) return;
        event.preventDefault();
        send();
      },
    },
    element(
      "fieldset",
      {},
      element("legend", {}, "Request"),
      element(
        "div",
        { class: "line" },
        field("method", "Method", method),
        field("path", "Path and query", path.input),
      ),
      field("headers", "Header fields, one a line", headers.input),
      element("label", { class: "check", for: "has-body" }, hasBody, " It has a body"),
      bodyField,
      element(
        "p",
        { class: "quiet" },
        placeholder("${token}", " stands for the token, "),
        placeholder("${unique}", " for a value that no other request has."),
      ),
    ),
    token.root,
    element(
      "div",
      { class: "send" },
      mistake,
      sendButton,
      element("small", {}, "or ", element("kbd", {}, "Ctrl"), " ", element("kbd", {}, "Enter")),
    ),
  );
  const methods = element(
    "datalist",
    { id: "methods" },
    ["GET", "PATCH", "POST", "PUT", "DELETE", "HEAD"].map((value) => element("option", { value })),
  );
  const root = element(
    "section",
    { "aria-labelledby": "edit" },
    element("h2", { id: "edit", tabindex: "-1" }, "Edit and send"),
    starts,
    lacking,
    element("div", { class: "desk" }, form, element("div", { class: "below" }, below)),
    methods,
  );
  const set: Editor["set"] = (edited, lacks = []) => {
    method.value = edited.method;
    path.set(edited.path);
    headers.set(edited.headers.map(([name, value]) => `${name}: ${value}`).join("\n"));
    headers.input.setAttribute("rows", String(Math.max(2, edited.headers.length)));
    hasBody.checked = edited.body !== undefined;
    bodyField.hidden = !hasBody.checked;
    body.set(edited.body ?? "");
    token.set(edited.credential);
    fill(
      lacking,
      lacks.map((sentence) => element("li", {}, prose(sentence))),
    );
    fill(mistake);
  };

  const from = (name: string, start: Start | undefined): Child =>
    start && button(name, () => set(start.edited, start.lacks));

  return {
    root,
    set,
    offer(one) {
      const { probe, control } = one?.start ?? {};
      differences = one?.differences ?? [];
      token.compareWith(control?.edited.credential, differences);
      const isNone = one && !probe && !control;
      fill(
        starts,
        element("span", {}, isNone && "No request of this case can be edited. ", "Begin with "),
        from("the probe", probe),
        from("the control", control),
        operationSelect(profile.operations, actions.begin),
      );
    },
    allowSending(isOn) {
      sendButton.disabled = !isOn;
    },
    focus() {
      const inSight = differences.map(fieldOf).find((one) => one.checkVisibility());
      const input = inSight ?? path.input;
      input.focus();
      input.scrollIntoView({ block: "center" });
    },
  };
}

function placeholder(name: string, words: string): Child {
  return [element("code", {}, name), words];
}

function operationSelect(
  operations: readonly OperationState[],
  begin: (operation: string) => void,
): HTMLElement {
  const choice = element(
    "select",
    {
      "aria-label": "Begin with a good request",
      change: () => {
        if (choice.value !== "") begin(choice.value);
        choice.value = "";
      },
    },
    element("option", { value: "" }, "a good request …"),
    operations.map(({ id, method, path }) =>
      element("option", { value: id }, `${id}: ${method} ${path}`),
    ),
  );
  return choice;
}

function headersOf(text: string, input: HTMLElement): HeaderLines {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const at = line.indexOf(":");
      if (at < 1) throw new Mistake(input, `“${line.slice(0, 60)}” is not “name: value”`);
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()] as const;
    });
}
