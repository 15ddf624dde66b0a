/** How a module of the suite declares the `require` by which it loads a package at its first use. */
const OWN_REQUIRE = "const require = createRequire(import.meta.url);";

/**
 * A plugin that takes such a package into the bundle. Without the declaration, the bundler sees what is required, and still
 * does not run it before its first use.
 */
export const requiredLater = {
  name: "required-later",
  transform: (code, id) =>
    /[/\\]src[/\\]document[/\\]schema\.ts$/.test(id) ? code.replace(OWN_REQUIRE, "") : undefined,
};
