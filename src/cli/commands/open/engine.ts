import { RULES } from "../../../../suites/index.ts";
import { certifyTarget } from "../../../certify.ts";
import { OPERATIONS } from "../../../contract/operations.ts";
import { withDocument } from "../../../document/with-document.ts";
import type { Target } from "../../../profile/target.ts";
import { casesOf, type Report, withPacks } from "../../../report/report.ts";
import { needsWrite } from "../../../setup/needs.ts";
import type { Engine } from "../../../workbench/judging.ts";
import { tellConsents } from "../../consents.ts";
import type { CommandIo } from "../../io.ts";
import { loadPacks, namedPacks } from "../../packs.ts";
import { withProvokers } from "../run/failed.ts";
import type { OpenFlags } from "./flags.ts";

/**
 * Judges cases of a report again by the engine of `run`, at the target of the profile.
 * @throws SuiteError when a pack cannot be used
 */
export async function createEngine(
  target: Target,
  report: Report,
  flags: OpenFlags,
  io: CommandIo,
  signal: AbortSignal,
): Promise<Engine> {
  const named = (await namedPacks(flags.pack, flags.untrusted, io)) ?? target.packs;
  const packs = await loadPacks(named);
  const rules = [...RULES, ...packs.map((pack) => pack.rules).flat()];
  const writing = new Map<string, boolean>();
  for (const rule of rules) {
    for (const one of rule.cases(target)) writing.set(`${rule.id}/${one.id}`, needsWrite(one));
  }
  for (const { id, explored, operation } of casesOf(report)) {
    if (explored && operation) writing.set(id, OPERATIONS[operation].writes);
  }
  const parts = withPacks(report);
  return {
    mayWrite: (id) => writing.get(id),
    async run(ids, readOnly, onJudged) {
      const names = [...new Set(parts.flatMap((part) => withProvokers(part, ids)))];
      const read = readOnly ? { ...target, readOnly, writes: false, otherWrites: false } : target;
      return certifyTarget(await withDocument(read, { cwd: io.cwd, signal }), {
        only: { names, what: names.length === 1 ? (names[0] ?? "") : "what was chosen" },
        packs,
        seed: report.seed,
        signal,
        onConsent: tellConsents(io.stderr),
        onEvent(event) {
          if (event.type === "case-judged") onJudged(event.result);
        },
      });
    },
  };
}
