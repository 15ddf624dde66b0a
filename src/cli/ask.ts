import type { Readable, Writable } from "node:stream";

import type { Asker } from "../init/gather.ts";

/** Asks questions at a terminal. An empty field shows the default, which Enter takes, or nothing. */
export function askAt(input: Readable, output: Writable): Asker {
  return {
    async text({ message, fallback, check }) {
      const { isCancel, text } = await import("@clack/prompts");
      const said = await text({
        message,
        placeholder: fallback,
        defaultValue: fallback,
        validate: (value = "") => check(value),
        input,
        output,
      });
      return isCancel(said) ? undefined : said;
    },
    async confirm({ message, fallback = false }) {
      const { confirm, isCancel } = await import("@clack/prompts");
      const said = await confirm({ message, initialValue: fallback, input, output });
      return isCancel(said) ? undefined : said;
    },
  };
}
