// Any Node that knows modules must be able to read this file and the command's.
import { readFileSync } from "node:fs";

/** Says that this version of Node is older than `engines` of package.json allows; `undefined` where it is not. */
export function whyTooOld() {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const least = JSON.parse(manifest).engines.node.replace(">=", "");
  const [wantedMajor, wantedMinor] = least.split(".").map(Number);
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return undefined;
  return `orgsync-conformance needs Node ${least} or newer; this is ${process.version}.`;
}
