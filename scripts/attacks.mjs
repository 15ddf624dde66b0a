// `npm run attacks [-- <text>…]` runs the built command against hostile targets and measures exit code,
// wall time and peak memory. Arguments select attacks by parts of their names; default: all.
import { register } from "node:module";

register("../test/support/strip-types.mjs", import.meta.url);
const { startVictim } = await import("../test/attacks/attack.ts");
const { HOSTILE_DOCUMENTS } = await import("../test/attacks/documents.ts");
const { LEAKS, leaksIn } = await import("../test/attacks/leaks.ts");
const { HOSTILE_TARGETS } = await import("../test/attacks/targets.ts");

const wanted = process.argv.slice(2);
const attacks = [...HOSTILE_TARGETS, ...LEAKS, ...HOSTILE_DOCUMENTS].filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
);
const victim = await startVictim();
try {
  console.log("| Attack | exit | seconds | peak MiB |\n| --- | --- | --- | --- |");
  for (const target of attacks) {
    const { code, wallMs, peakMiB, out, err, reports } = await victim.attack(target);
    const figures = [target.name, code, (wallMs / 1000).toFixed(1), peakMiB.toFixed(0)];
    console.log(`| ${figures.join(" | ")} |`);
    const leaks = leaksIn(reports + out + err, target.secrets ?? []);
    if (leaks.length > 0) {
      console.log(`leaks: ${JSON.stringify(leaks)}`);
      process.exitCode = 1;
    }
    if (code === 2 || code === null) console.log(err);
  }
} finally {
  victim.close();
}
