/** How the bundler begins the wrapper of a CommonJS module. */
const WRAPPER = /(?<=__commonJS(?:Min)?\(\()\(([\w$, ]*)\) => \{/g;

/**
 * A plugin that makes these wrappers functions in parentheses. V8 reads the body of such a function once, but that of an arrow
 * function twice: first to find its end, and again when it is called, which for a wrapper is at once.
 */
export const readOnce = {
  name: "read-once",
  renderChunk: (code) => code.replaceAll(WRAPPER, (_all, names) => `function(${names}) {`),
};
