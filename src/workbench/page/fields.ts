import { isObject, type JsonObject } from "../../lib/json.ts";
import { element } from "./dom.ts";

/** A field that cannot be read, and why. */
export class Mistake extends Error {
  readonly field: HTMLElement;

  constructor(wrong: HTMLElement, message: string) {
    super(message);
    this.field = wrong;
  }
}

/** A field under its label. */
export function field(id: string, words: string, input: HTMLElement): HTMLElement {
  return element("div", { class: "field" }, element("label", { for: id }, words), input);
}

/** A field that gives back exactly what was put into it, as long as nobody edits it. Browsers change line breaks. */
export function exactField<Input extends HTMLInputElement | HTMLTextAreaElement>(
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
    root: field(id, words, input),
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
