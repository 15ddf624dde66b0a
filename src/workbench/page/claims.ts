import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ClaimState } from "../api.ts";
import { element } from "./dom.ts";

/** The fields of a token's claims. The contract's claims have a field each, all others stand in one JSON object. */
export interface ClaimFields {
  readonly root: HTMLElement;
  set(claims: JsonObject): void;
  /** @throws Mistake when the JSON cannot be read */
  get(): JsonObject;
}

/** A field that cannot be read, and why. */
export class Mistake extends Error {
  readonly field: HTMLElement;

  constructor(field: HTMLElement, message: string) {
    super(message);
    this.field = field;
  }
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
    set(claims) {
      const own = new Map(fields.map((field) => [field.name, field.set(claims[field.name])]));
      const others = Object.entries(claims).filter(([name]) => own.get(name) !== true);
      rest.set(Object.fromEntries(others));
    },
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
  /** Returns whether the field can hold the value. If it cannot, it is empty. */
  set(value: unknown): boolean;
  /** `undefined`: the token does not have the claim. */
  readonly get: () => unknown;
}

/** A field for one claim, with a box that says whether the token has it. */
function claimField({ name, kind, what }: ClaimState): ClaimField {
  const id = `claim-${name}`;
  const input = element("input", {
    type: "text",
    id,
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": `${id}-what`,
    // Whoever types a value wants the token to have it.
    input: () => (box.checked = true),
  });
  const box = element("input", { type: "checkbox", "aria-label": `The token has ${name}` });
  const root = element(
    "div",
    { class: "claim" },
    box,
    element("label", { for: id }, element("code", {}, name)),
    element("small", { id: `${id}-what` }, what, kind === "time" && "; now, now+600 or now-60"),
    input,
  );
  return {
    name,
    root,
    set(value) {
      const text = textOf(value, kind);
      box.checked = text !== undefined;
      input.value = text ?? "";
      return text !== undefined;
    },
    get: () => (box.checked ? valueOf(input.value, kind) : undefined),
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

export interface JsonField {
  readonly root: HTMLElement;
  readonly input: HTMLTextAreaElement;
  set(value: JsonObject): void;
  /** @throws Mistake when it is not a JSON object */
  get(): JsonObject;
}

/** A field for a JSON object. Empty means an empty object. */
export function jsonField(id: string, words: string): JsonField {
  const input = element("textarea", { id, spellcheck: "false", rows: "3" });
  return {
    root: element("div", { class: "field" }, element("label", { for: id }, words), input),
    input,
    set(value) {
      input.value = JSON.stringify(value, null, 2);
      input.rows = Math.min(12, Math.max(2, input.value.split("\n").length));
    },
    get() {
      if (input.value.trim() === "") return {};
      let value: unknown;
      try {
        value = JSON.parse(input.value);
      } catch (error) {
        throw new Mistake(input, `this is not JSON: ${(error as Error).message}`);
      }
      if (!isObject(value)) throw new Mistake(input, "this is JSON, but not an object");
      return value;
    },
  };
}
