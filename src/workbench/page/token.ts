import type { Credential, DifferenceState, ProfileState } from "../api.ts";
import { createClaims } from "./claims.ts";
import { element } from "./dom.ts";
import { field, jsonField } from "./fields.ts";

/** The token of a request: which one it is, and what it says where the suite signs it. */
export interface TokenFields {
  readonly root: HTMLElement;
  set(credential: Credential): void;
  get(): Credential;
  /** The field that says which token it is. */
  readonly choice: HTMLElement;
  /** The field of a claim or of a header parameter. */
  fieldOf(part: "claim" | "header", name: string): HTMLElement;
  /** Shows beside each claim what the control has, where that is something else. */
  compareWith(control: Credential | undefined, differences: readonly DifferenceState[]): void;
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

export function createToken({ signs, clients, claims: known }: ProfileState): TokenFields {
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
    choice: kind,
    fieldOf: (part, name) => (part === "claim" ? claims.fieldOf(name) : header.input),
    compareWith(control, differences) {
      const named = differences.flatMap(({ part, name = "" }) => (part === "claim" ? [name] : []));
      claims.compareWith(control?.kind === "sign" ? control.claims : undefined, new Set(named));
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
