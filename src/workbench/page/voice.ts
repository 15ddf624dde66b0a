import { button, type Child, element, fill } from "./dom.ts";
import { Refusal } from "./server.ts";

/** What the page says by itself, and what it asks before something happens. */
export interface Voice {
  /** One line that is always in sight and that screen readers read out. */
  readonly status: HTMLElement;
  /** The place of questions, beside the form. */
  readonly asked: HTMLElement;
  say(...words: readonly (string | undefined)[]): void;
  /** Asks; the first button gets the focus. Every choice but the one to cancel is a button that does something. */
  ask(title: string, content: Child, ...choices: readonly Choice[]): void;
  /** Says why something was not done. */
  refuse(
    title: string,
    why: { readonly because: string; readonly hint?: string | undefined },
  ): void;
  /** Takes back the last question. */
  clear(): void;
  /** Does something that the server may refuse, and then says why. */
  attempt(act: () => Promise<void>): Promise<void>;
}

/** How long a line stays in sight. What it is about remains elsewhere on the page. */
const SHOWN_MS = 12_000;

export interface Choice {
  readonly words: string;
  readonly act: () => void;
}

export function createVoice(): Voice {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const status = element("p", { role: "status", class: "status" });
  const asked = element("div", { class: "asked" });
  const voice: Voice = {
    status,
    asked,
    say(...words) {
      fill(status, words.filter(Boolean).join(" "));
      clearTimeout(timer);
      timer = setTimeout(() => fill(status), SHOWN_MS);
    },
    ask(title, content, ...choices) {
      const buttons = choices.map(({ words, act }) =>
        button(words, () => {
          voice.clear();
          act();
        }),
      );
      const cancel = button("Cancel", () => {
        voice.clear();
        voice.say("Nothing was sent.");
      });
      voice.say(title);
      fill(asked, notice(title, [content, element("p", { class: "buttons" }, buttons, cancel)]));
      asked.scrollIntoView({ block: "nearest" });
      buttons[0]?.focus();
    },
    refuse(title, { because, hint }) {
      voice.say(`${title}: ${because}`);
      const advice = hint !== undefined && element("p", {}, hint);
      fill(asked, notice(title, [element("p", {}, because), advice]));
      asked.scrollIntoView({ block: "nearest" });
    },
    clear() {
      fill(asked);
    },
    async attempt(act) {
      try {
        await act();
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        voice.refuse("That did not work", { because: error.message, hint: error.hint });
      }
    },
  };
  return voice;
}

export function notice(title: string, content: Child): HTMLElement {
  return element(
    "div",
    { class: "notice set-up" },
    element("p", { class: "problem" }, title),
    content,
  );
}
