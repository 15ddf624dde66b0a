import { syncBuiltinESMExports } from "node:module";

import { onTestFinished } from "vitest";

/**
 * Replaces functions of a module of Node until the test has ended, for everybody who imports them.
 * @param builtin the module's default export
 */
export function replaceIn<M extends object>(builtin: M, functions: Partial<M>): void {
  const names = Object.keys(functions) as (keyof M)[];
  const real = Object.fromEntries(names.map((name) => [name, builtin[name]])) as Partial<M>;
  put(functions);
  onTestFinished(() => put(real));

  function put(these: Partial<M>): void {
    Object.assign(builtin, these);
    syncBuiltinESMExports();
  }
}
