import type { JsonObject } from "../../../src/lib/json.ts";
import { Finding, type FindingOf, optional } from "../../../src/probe/finding.ts";
import { listFact, phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../../src/probe/probe.ts";
import { showsOrganization } from "../../../src/probe/read/shapes.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { newUnique } from "../../../src/probe/request.ts";
import { reading, shows } from "../../../src/probe/write/unique-marker.ts";
import { readFeed } from "../../shared/feed.ts";
import { isSame } from "../profile/compare.ts";
import { isUnchanged } from "./merges.ts";
import { published, type Sent, sendNeeded, setBack, type View, view, WRITES } from "./send.ts";

/** Edits that a deployment may refuse, and what they must not do. */

const operation = "editOrganization";

/** Judges that an organization keeps its id, whatever `id` a patch has. */
export async function sentId(probe: Probe): Promise<Finding> {
  const primary = await probe.organization("primary");
  const other = probe.uuid("sent id");
  const what = "the body has another id";
  const sent = await sendNeeded(probe, operation, "other-id", what, { id: other });
  const said = describeReply(sent.reply);
  const received = reception(sent.reply);
  if (received === "rejected") return Finding.pass(sent.evidence, said);
  if (received !== "accepted") return Finding.inconclusive(said, sent.evidence);
  const { reply } = await probe.attempt(reading, { operation: "viewOrganization" });
  const evidence = { ...sent.evidence, probes: [...sent.evidence.probes, reply.exchange.id] };
  const shown = reply.json();
  if (showsOrganization(shown, other) && !showsOrganization(shown, primary)) {
    const what2 = "the body has the former id";
    await optional(sendNeeded(probe, operation, "own-id", what2, { id: primary }, "control"));
    return {
      kind: "fail",
      expected: phrase`an organization keeps its id`,
      actual: phrase`${said}, and the view shows the id that was sent, ${valueFact(other)}`,
      evidence,
    };
  }
  return reception(reply) === "accepted"
    ? Finding.pass(evidence)
    : Finding.inconclusive(phrase`the view: ${describeReply(reply)}`, evidence);
}

/** Names of members that a server sets itself, and a value of the same form that no server sets. */
const SERVER_MEMBERS: readonly (readonly [name: RegExp, value: (shown: unknown) => unknown])[] = [
  [/^(?:created|updated|lastModified|modified|lastUpdated)At$/, () => "2001-02-03T04:05:06Z"],
  [
    /^(?:dataset)?version$/i,
    (shown) => (typeof shown === "number" ? shown + 4096 : "conformance-version"),
  ],
];

/** Judges that times and versions that the view shows never take the value of a patch. */
export async function sentServerMembers(probe: Probe): Promise<Finding> {
  const before = await view(probe);
  const patch = Object.fromEntries(
    Object.entries(before.profile).flatMap(([name, shown]) => {
      const [, value] = SERVER_MEMBERS.find(([own]) => own.test(name)) ?? [];
      return value ? [[name, value(shown)] as const] : [];
    }),
  );
  if (Object.keys(patch).length === 0)
    return Finding.notApplicable(phrase`the view shows no time and no version of the profile`);
  const what = "the body has times and versions that the server sets";
  const sent = await sendNeeded(probe, operation, "server-members", what, patch);
  const said = describeReply(sent.reply);
  const received = reception(sent.reply);
  if (received === "rejected") return Finding.pass(sent.evidence, said);
  if (received !== "accepted") return Finding.inconclusive(said, sent.evidence);
  const after = await view(probe);
  const evidence = ofViews(sent, [before, after]);
  const taken = Object.keys(patch).filter((name) => isSame(patch[name], after.profile[name]));
  if (taken.length === 0) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`what the server sets never takes the value of a patch`,
    actual: phrase`${said}, and the view shows what was sent for ${listFact(taken)}`,
    evidence,
  };
}

/** How a patch was answered that should be refused, and whether the profile stayed as it was. */
export const nameNull: Fixture<{ readonly refused: Finding; readonly unchanged: Finding }> = {
  name: "name-null",
  scope: "rule",
  needs: WRITES,
  async setup(probe) {
    const before = await view(probe);
    const what = "the body has null for the name";
    const sent = await sendNeeded(probe, operation, "name-null", what, { name: null });
    const said = describeReply(sent.reply);
    const received = reception(sent.reply);
    if (received === "unclear") {
      const open = Finding.inconclusive(said, sent.evidence);
      return { refused: open, unchanged: open };
    }
    const refused: Finding =
      received === "rejected"
        ? Finding.pass(sent.evidence)
        : {
            kind: "fail",
            expected: phrase`a patch that removes the required name is refused with 4xx`,
            actual: said,
            evidence: sent.evidence,
          };
    if (received !== "rejected") {
      await setBack(probe, before);
      return { refused, unchanged: notRefused(said) };
    }
    return { refused, unchanged: await unchangedAfter(probe, before, sent) };
  },
};

/** Whether a patch without members is accepted, and whether the profile stays as it was. */
export const emptyPatch: Fixture<{ readonly accepted: Finding; readonly unchanged: Finding }> = {
  name: "empty-patch",
  scope: "rule",
  needs: WRITES,
  async setup(probe) {
    const before = await view(probe);
    const sent = await sendNeeded(probe, operation, "empty", "the body has no members", {});
    const said = describeReply(sent.reply);
    const received = reception(sent.reply);
    const accepted: Finding =
      received === "accepted"
        ? Finding.pass(sent.evidence)
        : received === "unclear"
          ? Finding.inconclusive(said, sent.evidence)
          : {
              kind: "fail",
              expected: phrase`a patch without members is accepted`,
              actual: said,
              evidence: sent.evidence,
            };
    return { accepted, unchanged: await unchangedAfter(probe, before, sent) };
  },
};

/** Values that fit no member of a published profile. */
const INVALID: readonly JsonObject[] = [
  { name: null },
  { emails: "no object" },
  { name: { no: "text" } },
  { socials: 7 },
];
/** So many patches that were refused show enough. */
const ENOUGH_REFUSED = 2;

/** Judges that a patch changes nothing if it is refused, though a part of it is valid. */
export async function partlyInvalid(probe: Probe): Promise<Finding> {
  const former = await view(probe);
  const findings: Finding[] = [];
  for (const [at, invalid] of INVALID.entries()) {
    const before = at === 0 ? former : await view(probe);
    const patch = {
      ...partsBeside(invalid, "before"),
      ...invalid,
      ...partsBeside(invalid, "after"),
    };
    const what = "a part of the body is valid, and another one is not";
    const sent = await sendNeeded(probe, operation, `in-part-${at + 1}`, what, patch);
    const received = reception(sent.reply);
    if (received !== "rejected") {
      if (received === "accepted") await setBack(probe, former);
      continue;
    }
    const finding = await unchangedAfter(probe, before, sent);
    if (finding.kind === "fail") return finding;
    findings.push(finding);
    if (findings.length === ENOUGH_REFUSED) break;
  }
  return findings[0] ?? Finding.notApplicable(phrase`no such patch is refused`);
}

/** Valid members that stand beside the invalid one, before and after it. */
function partsBeside(invalid: JsonObject, where: "before" | "after"): JsonObject {
  const parts: JsonObject =
    where === "before"
      ? { mission: `Conformance ${newUnique()}` }
      : { yearFounded: "1901", socials: { website: "https://www.example.org/partly" } };
  return Object.fromEntries(
    Object.entries(parts).filter(([name]) => !Object.hasOwn(invalid, name)),
  );
}

/** Judges that a submission leaves nothing in the feed if it is refused, though a part of it is valid. */
export async function partlyInvalidSubmission(probe: Probe): Promise<Finding> {
  for (const [at, invalid] of INVALID.entries()) {
    const value = newUnique();
    const patch = { mission: `Conformance ${value}`, ...invalid };
    const what = "a part of the body is valid, and another one is not";
    const sent = await sendNeeded(probe, "submitChange", `in-part-${at + 1}`, what, patch);
    if (reception(sent.reply) !== "rejected") continue;
    const feed = await readFeed(probe);
    const probes = [...sent.evidence.probes, ...feed.evidence.probes];
    const evidence = { ...sent.evidence, probes };
    if (!feed.pages.some((page) => shows(page, value))) return Finding.pass(evidence);
    return {
      kind: "fail",
      expected: phrase`a submission that is refused is no change`,
      actual: phrase`${describeReply(sent.reply)}, and the feed shows ${valueFact(value)}`,
      evidence,
    };
  }
  return Finding.notApplicable(phrase`no such submission is refused`);
}

async function unchangedAfter(probe: Probe, before: View, sent: Sent): Promise<Finding> {
  // What a wrong edit did need not show at once, but waiting for it would cost every conforming deployment that time.
  const after = await view(probe);
  const evidence = ofViews(sent, [before, after]);
  if (isUnchanged(before, after)) return Finding.pass(evidence);
  await setBack(probe, before);
  const [old, now] = [before, after].map(({ profile }) => published(profile));
  const names = Object.keys({ ...old, ...now }).filter((name) => !isSame(old?.[name], now?.[name]));
  return {
    kind: "fail",
    expected: phrase`the profile is as it was`,
    actual: phrase`${describeReply(sent.reply)}, and the view shows another value for ${listFact(names)}`,
    evidence,
  };
}

function ofViews(sent: Sent, views: readonly View[]): Sent["evidence"] {
  const read = views.map(({ reply }) => reply.exchange.id);
  return { ...sent.evidence, probes: [...sent.evidence.probes, ...read] };
}

function notRefused(
  said: Parameters<typeof Finding.notApplicable>[0],
): FindingOf<"not-applicable"> {
  return Finding.notApplicable(phrase`it was not refused: ${said}`);
}
