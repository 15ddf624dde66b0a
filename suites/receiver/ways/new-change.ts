import type { InvalidMutation } from "../../../src/mutations/mutation.ts";
import { custom } from "../../../src/probe/cases.ts";
import { besideControl, endCase, type Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../../src/probe/probe.ts";
import { submittedChangeIds } from "../../../src/probe/read/change-ids.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { doesNotApply } from "../../shared/kind.ts";
import { type ReadChange, readChangeNow } from "../../shared/submission.ts";
import { type CheckOptions, inWay, rejectOptions } from "./check-options.ts";

/**
 * A change that was submitted a moment ago. A receiver may keep changes that wait for review in another store, and read
 * them by code that makes fewer checks.
 */

const operation = "readChange";

/**
 * A case for a mutation that must be rejected where a new change is read, `<mutation>-new-change@readChange`. The change is
 * the one of the first good submission, so nothing more is written.
 */
export function rejectsOnNewChange(
  facts: Facts,
  mutation: InvalidMutation,
  options: CheckOptions = {},
): RuleCase[] {
  const onNew = inWay(mutation, "new-change", "the change was submitted a moment ago");
  const { primary } = facts.organizations;
  const elsewhere =
    options.onDenied === true &&
    facts.denied !== undefined &&
    facts.denied.organization.toLowerCase() !== primary?.toLowerCase();
  const judge = async (probe: Probe): Promise<Finding> => {
    const good = await probe.use(newChange);
    const where = { ...rejectOptions(probe, options), changeId: good.id.id };
    const finding = await probe.rejects(onNew, where);
    // The good request for the same change has its id in the path too.
    return besideControl(finding, good.reply.exchange.id, ({ part }) => part !== "path");
  };
  return custom([operation], [onNew], judge, {
    sends: 2,
    writes: { of: "submitChange" },
    inapplicable: elsewhere
      ? "changes are submitted to another organization than the denied one"
      : undefined,
  });
}

/**
 * The change of the first good submission, while it is new. The rules about changes read it once more, later, because further
 * submissions may have done something to it.
 */
const newChange: Fixture<ReadChange> = {
  name: "new change",
  scope: "run",
  async setup(probe) {
    const submitted = await probe.tryControl("submitChange", { bracketed: false });
    if (!("control" in submitted)) {
      const { finding } = submitted.refusal;
      if (finding.kind === "not-provisioned") endCase(finding);
      return doesNotApply(phrase`no submission was accepted`);
    }
    const { reply } = submitted.control;
    const { primary } = await probe.organizations();
    const ids = submittedChangeIds(reply, probe.target.operations.submitChange, primary);
    if (ids.length === 0) doesNotApply(phrase`no id of a submitted change is known`);
    const read = await readChangeNow(probe, ids);
    if (reception(read.reply) === "accepted") return read;
    return doesNotApply(phrase`it is not readable: ${describeReply(read.reply)}`);
  },
};
