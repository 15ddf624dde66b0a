// Whatever runs JavaScript modules must be able to read this file and the command's.
import { readFileSync } from "node:fs";

/**
 * Why this program cannot run the suite, as a sentence: Bun and Deno send what Node does not, and an older Node than `engines` of
 * package.json allows lacks what is used. `undefined` where it can.
 */
export function whyUnfit() {
  const { Bun, Deno } = globalThis;
  // Nothing is read under Deno, which would ask the person for permission.
  if (Bun) return `orgsync-conformance needs Node; this is Bun ${Bun.version}.`;
  if (Deno) return `orgsync-conformance needs Node; this is Deno ${Deno.version.deno}.`;
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const least = JSON.parse(manifest).engines.node.replace(">=", "");
  const [wantedMajor, wantedMinor] = least.split(".").map(Number);
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return undefined;
  return `orgsync-conformance needs Node ${least} or newer; this is ${process.version}.`;
}
