import type { Asker } from "../init/gather.ts";

/** Asks questions at the terminal, on stderr, so that stdout can be redirected. */
export const askAtTerminal: Asker = {
  async text({ message, placeholder, fallback, check }) {
    const { isCancel, text } = await import("@clack/prompts");
    const said = await text({
      message,
      placeholder,
      defaultValue: fallback,
      validate: (value = "") => check(value),
      output: process.stderr,
    });
    return isCancel(said) ? undefined : said;
  },
  async confirm({ message }) {
    const { confirm, isCancel } = await import("@clack/prompts");
    const said = await confirm({ message, initialValue: false, output: process.stderr });
    return isCancel(said) ? undefined : said;
  },
};
