/** A call whose result nobody uses. The bundler drops it, though it may be there to throw where a text is not valid. */
const DROPPED = /(?:^|[;{}])\s*(?:de|en)codeURI(?:Component)?\([^()]*\);/m;

/** A plugin that refuses modules with a call that the bundler would drop, and that would then not throw. */
export const droppedCalls = {
  name: "dropped-calls",
  transform(code, id) {
    const [call] = DROPPED.exec(code) ?? [];
    if (call)
      throw new Error(`${id}: use the result of ${call.trim()}, or the bundle drops the call`);
  },
};
