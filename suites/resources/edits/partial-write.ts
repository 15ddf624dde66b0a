import { contentOf, isObject, parseJson } from "../../../src/lib/json.ts";
import type { Mutation } from "../../../src/mutations/mutation.ts";
import { endCase, Finding } from "../../../src/probe/finding.ts";
import { phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { bodyText, uniqueIn } from "../../../src/probe/request.ts";
import { isWriteLimit } from "../../../src/probe/write/not-sent.ts";
import { shows, unrecognisable, valueOf, viewed } from "../../../src/probe/write/unique-marker.ts";
import { plainEdit, unseen } from "../../shared/edit.ts";
import { pageShowing, readFeed } from "../../shared/feed.ts";
import { doesNotApply } from "../../shared/kind.ts";
import type { Submission } from "../../shared/submission.ts";

/**
 * Judges that nothing of an edit is applied that is refused because a part of it is invalid, RFC 5789 section 2. The
 * deployment may accept it.
 */
export async function refusedInPart(probe: Probe): Promise<Finding> {
  const edit = await probe.use(plainEdit);
  if (!edit.seen) return unseen(edit);
  const { said, value, evidence } = await invalidInPart(probe, "editOrganization");
  const view = await viewed(probe);
  const probes = [...evidence.probes, view.exchange.id];
  if (reception(view) !== "accepted") {
    return Finding.inconclusive(describeReply(view), { ...evidence, probes });
  }
  if (!shows(view, value)) return Finding.pass({ ...evidence, probes }, said);
  return {
    kind: "fail",
    expected: phrase`nothing of an edit is applied that is refused`,
    actual: phrase`${said}, and the view shows ${valueFact(value)}, which was a part of it`,
    evidence: { ...evidence, probes },
    // No other write has the value.
    certainty: "proof",
  };
}

/**
 * Looks whether a submission that is refused because a part of it is invalid is in the feed, where that lists accepted ones. A
 * deployment may keep refused submissions for review too.
 */
export async function refusedInFeed(probe: Probe, accepted: Submission): Promise<Finding> {
  if (!accepted.listed) {
    return Finding.notApplicable(phrase`the feed does not list an accepted submission either`);
  }
  const { said, value, evidence } = await invalidInPart(probe, "submitChange");
  const feed = await readFeed(probe);
  return Finding.observed(
    phrase`${said}; the feed ${pageShowing(feed, value) ? "shows a part of it" : "does not show it"}`,
    { ...evidence, probes: [...evidence.probes, ...feed.evidence.probes] },
  );
}

/**
 * Sends a write whose body has what the good body has, and then what the invalid one has.
 * @returns how it was refused, and the value by which it is recognised
 * @throws CaseEnd unless it is refused and can be recognised
 */
async function invalidInPart(probe: Probe, operation: "editOrganization" | "submitChange") {
  const { body, invalidBody: invalid } = probe.target.operations[operation] ?? {};
  if (!isCombinable(body, invalid)) {
    return doesNotApply(phrase`the invalid body cannot be added to the good one`);
  }
  const change: Mutation = {
    name: "invalid-part",
    what: "the body also has what makes the profile's invalid body invalid",
    request: (spec) => {
      const { body: good = "" } = spec;
      // The invalid body's value may replace that of the good one, and is then the one to look for.
      const added = parseJson(bodyText(invalid, uniqueIn(good) ?? ""));
      return { ...spec, body: JSON.stringify(combined(parseJson(good), added)) };
    },
  };
  const tried = await probe.tryAttempt(change);
  if ("finding" in tried) {
    if (!isWriteLimit(tried.finding)) return endCase(tried.finding);
    return doesNotApply(phrase`the run has made too many such writes already`);
  }
  const { reply, evidence } = tried.attempt;
  const said = describeReply(reply);
  const received = reception(reply);
  if (received === "accepted") return doesNotApply(phrase`such a write is accepted: ${said}`);
  if (received !== "rejected") return endCase(Finding.inconclusive(said, evidence));
  const value = valueOf(probe, reply);
  return value === undefined
    ? endCase(Finding.inconclusive(phrase`${unrecognisable(operation)}`, evidence))
    : { said, value, evidence };
}

/** Whether two bodies can be combined so that the value of the good one is kept. */
function isCombinable(good: unknown, invalid: unknown): boolean {
  const both = combined(contentOf(good), contentOf(invalid));
  return both !== undefined && JSON.stringify(both).includes("${unique}");
}

/**
 * The members of two objects, those that both have combined in the same way, or the elements of two arrays. Where both have
 * a value that is neither, it is the second one's.
 * @returns `undefined` for any other two values
 */
function combined(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b)) return [...(a as unknown[]), ...(b as unknown[])];
  if (!isObject(a) || !isObject(b)) return undefined;
  const both = Object.entries(b).map(([name, value]) => [
    name,
    Object.hasOwn(a, name) ? (combined(a[name], value) ?? value) : value,
  ]);
  return { ...a, ...(Object.fromEntries(both) as object) };
}
