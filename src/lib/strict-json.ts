import { pointerToken } from "./json-pointer.ts";
import { endOfString, parseJson } from "./json.ts";

/** Why a text was not read. The message ends a sentence that begins with the name of the text, and quotes no value. */
export class UnreadableJson extends Error {
  override readonly name = "UnreadableJson";
}

/**
 * Parses a JSON text whose meaning every reader must agree on. RFC 8259 §4 leaves open which of two members of
 * the same name counts, so a text that repeats one is refused.
 * @throws {UnreadableJson} with a predicate such as "is not JSON, or is nested too deeply"
 */
export function strictJson(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw new UnreadableJson("is not JSON, or is nested too deeply");
  const [path] = repeatedMembers(text);
  if (path) {
    const pointer = path.map((token) => `/${pointerToken(token)}`).join("");
    throw new UnreadableJson(`is ambiguous: it has the member ${pointer} twice`);
  }
  return value;
}

/** An object or an array whose end was not yet reached. */
interface Open {
  /** The names of an object's members so far; absent for an array. */
  readonly names?: Set<string>;
  /** The current member's name, or the item's index. */
  at: string | number;
  /** The next string is a member's name. */
  expectsName: boolean;
}

/**
 * Finds the members that an object of a JSON text has more than once.
 * @param json a valid JSON text
 * @returns the path of each repetition, from the outermost value
 */
export function* repeatedMembers(json: string): Generator<readonly string[]> {
  const opened: Open[] = [];
  for (let index = 0; index < json.length; index++) {
    const inner = opened.at(-1);
    switch (json.charAt(index)) {
      case "{":
        opened.push({ names: new Set(), at: "", expectsName: true });
        break;
      case "[":
        opened.push({ at: 0, expectsName: false });
        break;
      case "}":
      case "]":
        opened.pop();
        break;
      case ",":
        if (inner?.names) inner.expectsName = true;
        else if (inner) inner.at = Number(inner.at) + 1;
        break;
      case '"': {
        const start = index;
        index = endOfString(json, start);
        if (!inner?.names || !inner.expectsName) break;
        const name = JSON.parse(json.slice(start, index + 1)) as string;
        inner.at = name;
        inner.expectsName = false;
        if (inner.names.has(name)) yield opened.map(({ at }) => String(at));
        inner.names.add(name);
        break;
      }
      default:
    }
  }
}
