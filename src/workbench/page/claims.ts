import type { JsonObject } from "../../lib/json.ts";
import type { ClaimState } from "../api.ts";
import { element, fill } from "./dom.ts";
import { jsonField, Mistake } from "./fields.ts";

/** The fields of a token's claims. The contract's claims have a field each, all others stand in one JSON object. */
export interface ClaimFields {
  readonly root: HTMLElement;
  /**
   * Shows beside each field what the control has, where that is something else.
   * @param differing the claims by which the case differs from it; other times differ between any two tokens
   */
  compareWith(control: JsonObject | undefined, differing: ReadonlySet<string>): void;
  set(claims: JsonObject): void;
  /** The field of a claim: its own, or that of all others. */
  fieldOf(name: string): HTMLElement;
  /** @throws Mistake when the JSON cannot be read */
  get(): JsonObject;
}

export function createClaims(known: readonly ClaimState[]): ClaimFields {
  const fields = known.map(claimField);
  const rest = jsonField("other-claims", "Other claims, as JSON");
  const root = element(
    "div",
    { class: "claims" },
    fields.map((field) => field.root),
    rest.root,
  );
  return {
    root,
    compareWith(control, differing) {
      for (const { name, isTime, compareWith } of fields) {
        const isMeant = !isTime || differing.has(name);
        compareWith(control && isMeant ? { value: control[name] } : undefined);
      }
    },
    set(claims) {
      const own = new Map(fields.map((field) => [field.name, field.set(claims[field.name])]));
      const others = Object.entries(claims).filter(([name]) => own.get(name) !== true);
      rest.set(Object.fromEntries(others));
    },
    fieldOf: (name) => fields.find((one) => one.name === name)?.input ?? rest.input,
    get() {
      const own = fields.flatMap(({ name, get }) => {
        const value = get();
        return value === undefined ? [] : [[name, value] as const];
      });
      const others = rest.get();
      const [twice] = own.find(([name]) => Object.hasOwn(others, name)) ?? [];
      if (twice !== undefined) {
        throw new Mistake(rest.input, `${twice} stands here and in its own field`);
      }
      return { ...Object.fromEntries(own), ...others };
    },
  };
}

interface ClaimField {
  readonly name: string;
  readonly root: HTMLElement;
  readonly input: HTMLElement;
  readonly isTime: boolean;
  readonly compareWith: (control: { readonly value: unknown } | undefined) => void;
  /** Returns whether the field can hold the value. If it cannot, it is empty. */
  set(value: unknown): boolean;
  /** `undefined`: the token does not have the claim. */
  readonly get: () => unknown;
}

/** A field for one claim, with a box that says whether the token has it. */
function claimField({ name, kind, what }: ClaimState): ClaimField {
  const id = `claim-${name}`;
  let control: { readonly value: unknown } | undefined;
  const unlike = element("small", { class: "unlike", id: `${id}-unlike` });
  const input = element("input", {
    type: "text",
    id,
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": `${id}-what ${id}-unlike`,
    input() {
      // Whoever types a value wants the token to have it.
      box.checked = true;
      compare();
    },
  });
  const box = element("input", {
    type: "checkbox",
    "aria-label": `The token has ${name}`,
    change: compare,
  });
  const root = element(
    "div",
    { class: "claim" },
    box,
    element("label", { for: id }, element("code", {}, name)),
    element("small", { id: `${id}-what` }, what, kind === "time" && "; now, now+600 or now-60"),
    input,
    unlike,
  );
  const get = (): unknown => (box.checked ? valueOf(input.value, kind) : undefined);

  function compare(): void {
    const isLike = !control || JSON.stringify(control.value) === JSON.stringify(get());
    const other = control?.value === undefined ? "absent" : JSON.stringify(control.value);
    fill(unlike, !isLike && `≠ control: ${other}`);
  }

  return {
    name,
    root,
    input,
    isTime: kind === "time",
    get,
    set(value) {
      const text = textOf(value, kind);
      box.checked = text !== undefined;
      input.value = text ?? "";
      compare();
      return text !== undefined;
    },
    compareWith(other) {
      control = other;
      compare();
    },
  };
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** The text of a value from which `valueOf` makes the same value, where there is one. */
function textOf(value: unknown, kind: ClaimState["kind"]): string | undefined {
  const text =
    typeof value === "number" && kind === "time" ? String(value) : (value as string | undefined);
  const isText = typeof text === "string" && !/[\r\n]/.test(text);
  return isText && valueOf(text, kind) === value ? text : undefined;
}

function valueOf(text: string, kind: ClaimState["kind"]): unknown {
  return kind === "time" && NUMBER.test(text) ? Number(text) : text;
}
