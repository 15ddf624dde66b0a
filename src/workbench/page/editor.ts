import type {
  Credential,
  Edited,
  HeaderLines,
  OperationState,
  ProfileState,
  Start,
} from "../api.ts";
import { createClaims, jsonField, Mistake } from "./claims.ts";
import { button, type Child, element, fill } from "./dom.ts";

/** The form of a request: its line, its header fields, its body, and its token. */
export interface Editor {
  readonly root: HTMLElement;
  /** Fills the form. */
  set(edited: Edited, lacks?: readonly string[]): void;
  /** What the form can begin with, for the case that is shown. */
  offer(starts: { readonly probe?: Start | undefined; readonly control?: Start | undefined }): void;
  allowSending(isOn: boolean): void;
  focus(): void;
}

export interface EditorActions {
  readonly send: (edited: Edited) => void;
  /** Asks for a good request for an operation. */
  readonly begin: (operation: string) => void;
}

export function createEditor(profile: ProfileState, actions: EditorActions): Editor {
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
    ),
    token.root,
    mistake,
    element(
      "p",
      { class: "buttons" },
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
    form,
    methods,
    element(
      "p",
      { class: "quiet" },
      placeholder("${token}", " stands for the token, "),
      placeholder("${unique}", " for a value that no other request has."),
    ),
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
      lacks.map((sentence) => element("li", {}, sentence)),
    );
    fill(mistake);
  };

  const from = (name: string, start: Start | undefined): Child =>
    start && button(name, () => set(start.edited, start.lacks));

  return {
    root,
    set,
    offer({ probe, control }) {
      fill(
        starts,
        element("span", {}, "Begin with "),
        from("the probe", probe),
        from("the control", control),
        operationSelect(profile.operations, actions.begin),
      );
    },
    allowSending(isOn) {
      sendButton.disabled = !isOn;
    },
    focus() {
      path.input.focus();
      path.input.scrollIntoView({ block: "center" });
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

interface TokenFields {
  readonly root: HTMLElement;
  set(credential: Credential): void;
  get(): Credential;
}

/** The words of a choice, by the value that the select has for it. */
const KEYS = {
  issuer: "signed with the test issuer's key",
  other: "signed with another key of that type",
  none: "not signed: the signature is empty",
} as const;
type Key = keyof typeof KEYS;
const NO_TOKEN = "no token";
const OF_CASE = "case";
const CLIENT = "client ";

function createToken({ signs, clients, claims: known }: ProfileState): TokenFields {
  let caseId = "";
  const claims = createClaims(known);
  const header = jsonField("token-header", "Header, as JSON");
  const parts = element("div", { class: "token" }, claims.root, header.root);
  const ofCase = element("option", { value: OF_CASE, hidden: true }, "as the case makes it, anew");
  const keys = Object.entries(KEYS).map(([value, words]) =>
    element("option", { value, disabled: !signs }, words),
  );
  const kind = element(
    "select",
    { id: "credential", change: showParts },
    keys,
    ofCase,
    clients.map((name) =>
      element("option", { value: CLIENT + name }, `the token of client ${name}`),
    ),
    element("option", { value: NO_TOKEN }, "none is sent"),
  );

  function showParts(): void {
    parts.hidden = !Object.hasOwn(KEYS, kind.value);
  }

  return {
    root: element(
      "fieldset",
      {},
      element("legend", {}, "Token"),
      field("credential", "The token is", kind),
      parts,
    ),
    set(credential) {
      if (credential.kind === "case") caseId = credential.id;
      ofCase.hidden = caseId === "";
      kind.value = choiceOf(credential);
      if (credential.kind === "sign") {
        claims.set(credential.claims);
        header.set(credential.header);
      }
      showParts();
    },
    get() {
      const choice = kind.value;
      if (choice === NO_TOKEN) return { kind: "none" };
      if (choice === OF_CASE) return { kind: "case", id: caseId };
      if (choice.startsWith(CLIENT)) return { kind: "client", name: choice.slice(CLIENT.length) };
      return { kind: "sign", key: choice as Key, header: header.get(), claims: claims.get() };
    },
  };
}

function choiceOf(credential: Credential): string {
  switch (credential.kind) {
    case "none":
      return NO_TOKEN;
    case "case":
      return OF_CASE;
    case "client":
      return CLIENT + credential.name;
    case "sign":
      return credential.key;
  }
}

function field(id: string, words: string, input: HTMLElement): HTMLElement {
  return element("div", { class: "field" }, element("label", { for: id }, words), input);
}

/** A field that gives back exactly what was put into it, as long as nobody edits it. Browsers change line breaks. */
function exactField<Input extends HTMLInputElement | HTMLTextAreaElement>(
  input: Input,
): { readonly input: Input; set(text: string): void; get(): string } {
  let [given, kept] = ["", ""];
  return {
    input,
    set(text) {
      input.value = text;
      [given, kept] = [text, input.value];
    },
    get: () => (input.value === kept ? given : input.value),
  };
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
