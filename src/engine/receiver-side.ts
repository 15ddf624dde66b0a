import type { Control } from "../probe/controls/control.ts";
import type { Controls } from "../probe/controls/controls.ts";
import { createProbe } from "../probe/create-probe.ts";
import type { Session } from "../probe/session.ts";
import { checkedAtOnce } from "./refused-for-a-moment.ts";
import type { SideRun } from "./side.ts";

/** The receiver as one side of a run. */
export function receiverSide(session: Session, controls: Controls): SideRun<Control> {
  return {
    side: "receiver",
    sequential: false,
    createProbe: ({ caseId, testCase, level, phase }, trial) =>
      createProbe(session, controls, caseId, { ...testCase, level, phase }, trial),
    nameOf: ({ operation }) => operation.id,
    beginWritingStage: ({ testCase: { operation }, level }) =>
      operation === undefined ? undefined : session.writes.beginStage(operation, level),
    checkAtOnce: (finding, used, label) =>
      checkedAtOnce(finding, used, label, { session, controls }),
    repeat: (control, label) => controls.repeat(control, label),
  };
}
