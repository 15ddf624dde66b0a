import { element } from "./dom.ts";

/** What a key does, in the order of the help. */
export interface Key {
  readonly key: string;
  readonly does: string;
  /** Absent where the browser does it. */
  readonly act?: () => void;
}

/** Listens to keys, unless somebody types or holds a modifier. Escape leaves a field. */
export function listenToKeys(keys: readonly Key[]): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const isTyping = target.matches("input:not([type=checkbox]), select, textarea");
    if (event.key === "Escape" && isTyping) target.blur();
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const found = keys.find(({ key }) => key === event.key);
    if (!found?.act) return;
    event.preventDefault();
    found.act();
  });
}

/** The keys and what they do, as a line that is always in sight. */
export function keyHelp(keys: readonly Key[]): HTMLElement {
  return element(
    "ul",
    { class: "keys", "aria-label": "Keys" },
    keys.map(({ key, does }) => element("li", {}, element("kbd", {}, key), ` ${does}`)),
  );
}
