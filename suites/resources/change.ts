import { type CaseWith, judgedWith, onOperation } from "../../src/probe/cases.ts";
import type { Control } from "../../src/probe/controls/control.ts";
import { Finding, optional } from "../../src/probe/finding.ts";
import { phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import {
  changeIds,
  type FoundId,
  likelyChangeIds,
  mentionsId,
  sameId,
} from "../../src/probe/read/change-ids.ts";
import { exactJson } from "../../src/probe/read/shapes.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { acceptedWrites, shows } from "../../src/probe/write/unique-marker.ts";
import { idsShowing, readFeed } from "../shared/feed.ts";
import {
  filledFeed,
  type KnownChange,
  type ReadChange,
  readChange,
  submission,
} from "../shared/submission.ts";
import { shownApart } from "./changes/shown-apart.ts";

const operation = "readChange";

const cases = onOperation<CaseWith<Control>>(operation, [
  {
    id: "known",
    title: "the change that the profile names, or else the first that is known",
    judge: ofChange(async (probe) => {
      const found = await probe.tryControl(operation);
      const id = "control" in found ? found.control.place.changeId : undefined;
      return id === undefined ? undefined : { ids: [{ id, at: "" }] };
    }),
  },
  ...(["first", "last"] as const).map((end): Omit<CaseWith<Control>, "operation"> => ({
    id: end,
    title: `the ${end} change that the feed lists`,
    judge: ofChange(async (probe) => {
      const { changes } = await probe.use(filledFeed);
      return changes.at(end === "first" ? 0 : -1);
    }),
  })),
  ...(["submitted", "submitted-earlier"] as const).map(
    (which): Omit<CaseWith<Control>, "operation"> => ({
      id: which,
      title: `a change that the suite submitted${which === "submitted" ? "" : ", followed by others"}`,
      writes: { of: "submitChange" },
      judge: ofChange(async (probe) => {
        const submitted = await optional(probe.use(submission));
        return which === "submitted" ? submitted : submitted?.earlier;
      }),
    }),
  ),
  {
    id: "apart",
    title: "two changes that the suite submitted, each read by its id",
    writes: { of: "submitChange" },
    judge: shownApart,
  },
]);

export const rule: Rule = defineRule({
  id: "resources.change",
  title: "The change that was requested is the one that is shown",
  level: "MUST",
  verifies: [
    "change.identified-in-paths",
    "service.feed",
    "endpoints.read-change",
    "endpoints.change-id",
  ],
  dependsOn: ["receiver.isolation"],
  phase: "state",
  cases: () => judgedWith(cases, (probe) => probe.control(operation)),
});

/**
 * Judges that a change is shown when it is requested.
 * @param pick the change; `undefined` where there is none
 */
function ofChange(
  pick: (probe: Probe) => Promise<KnownChange | undefined>,
): (probe: Probe) => Promise<Finding> {
  return async (probe) => {
    const change = await pick(probe);
    if (!change || change.ids.length === 0) {
      return Finding.notApplicable(phrase`no id of such a change is known`);
    }
    return judgeShown(probe, change, await readChange(probe, change.ids));
  };
}

async function judgeShown(
  probe: Probe,
  change: KnownChange,
  { id, reply, evidence }: ReadChange,
): Promise<Finding> {
  const { value } = change;
  const received = reception(reply);
  if (received === "rejected" && value !== undefined) {
    // Whether it can be read is advice, and another rule judges it.
    return Finding.notApplicable(phrase`it is not readable: ${describeReply(reply)}`);
  }
  if (received !== "accepted") return Finding.inconclusive(describeReply(reply), evidence);
  if (value !== undefined && shows(reply, value)) return Finding.pass(evidence);
  const expected = phrase`the change ${id.id}`;
  const stranger =
    value !== undefined &&
    acceptedWrites(probe, "submitChange").find(
      (one) => one.value !== value && shows(reply, one.value),
    );
  if (stranger) {
    if (stranger.changeIds.some((one) => sameId(one.id, id.id))) {
      const amended = await amendment(probe, id, [value, stranger.value]);
      if (amended) return amended;
    }
    const actual = phrase`what was submitted as another change: ${valueFact(stranger.value)}`;
    return { kind: "fail", expected, actual, evidence };
  }
  const { primary } = await probe.organizations();
  const body = exactJson(reply);
  const shown = changeIds(body, primary);
  if (shown.length === 0) {
    if (likelyChangeIds(body, primary).some((one) => sameId(one, id.id)))
      return Finding.pass(evidence);
    const told = phrase`the answer has no id to compare`;
    return value === undefined && (await isRecognised(probe))
      ? Finding.observed(told, evidence)
      : Finding.inconclusive(phrase`${told}, and no value that the suite has written`, evidence);
  }
  const isShown = ({ id: asked }: FoundId): boolean =>
    shown.some((one) => sameId(one.id, asked)) || mentionsId(body, asked);
  if (change.ids.some((asked) => isShown(asked))) return Finding.pass(evidence);
  // Another case may have read the change before, by an id that it found elsewhere.
  return (change.ids.find((one) => one.id === id.id) ?? id).inUrl
    ? Finding.inconclusive(phrase`asked for ${id.id}, it shows ${shown[0]?.id}`, evidence)
    : { kind: "fail", expected, actual: phrase`it shows ${valueFact(shown[0]?.id)}`, evidence };
}

/** Whether a submitted change can be recognised by its value when it is read. */
async function isRecognised(probe: Probe): Promise<boolean> {
  if (!probe.target.writes) return false;
  const { ids = [], value } = (await optional(probe.use(submission))) ?? {};
  if (ids.length === 0 || value === undefined) return false;
  const read = await optional(readChange(probe, ids));
  return read !== undefined && shows(read.reply, value);
}

/**
 * The finding where the answers to two submissions name one change, and the feed does not list it twice: the second submission
 * may have amended the first one, which the contract leaves open.
 */
async function amendment(
  probe: Probe,
  { id }: FoundId,
  values: readonly string[],
): Promise<Finding | undefined> {
  const feed = await optional(readFeed(probe));
  const listed = values.map((value) => (feed ? idsShowing(feed, value) : []));
  if (listed.every((ids) => ids.some((one) => sameId(one.id, id)))) return undefined;
  const reason = phrase`the answers to two submissions name the change ${id}, and the feed does not list two of that id`;
  return Finding.notApplicable(reason);
}
