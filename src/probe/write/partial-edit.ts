import { isObject, parseJson } from "../../lib/json.ts";
import type { Mutation } from "../../mutations/mutation.ts";
import type { Finding } from "../finding.ts";
import { phrase, valueFact } from "../phrase.ts";
import type { Probe } from "../probe.ts";
import { describeReply, reception } from "../reception.ts";
import { bodyText, uniqueIn } from "../request.ts";
import { isWriteLimit } from "./budget.ts";
import { plainEdit, unseen } from "./edit.ts";
import { shows, unrecognisable, valueOf, viewed } from "./unique-marker.ts";

const operation = "editOrganization";

/**
 * Judges that nothing of an edit is applied that is refused because a part of it is invalid, RFC 5789 section 2. The body has
 * what the good body has, and then what the invalid one has. The deployment may accept it.
 */
export async function refusedInPart(probe: Probe): Promise<Finding> {
  const edit = await probe.use(plainEdit);
  if (!edit.seen) return unseen(edit);
  const { body, invalidBody: invalid } = probe.target.operations[operation] ?? {};
  if (!isCombinable(body, invalid)) {
    const reason = phrase`the invalid body cannot be added to the good one`;
    return { kind: "not-applicable", reason };
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
    const { finding } = tried;
    if (!isWriteLimit(finding)) return finding;
    return { kind: "not-applicable", reason: phrase`the run has made too many edits already` };
  }
  const { reply, evidence } = tried.attempt;
  const said = describeReply(reply);
  const received = reception(reply);
  if (received === "accepted") {
    return { kind: "not-applicable", reason: phrase`such an edit is accepted: ${said}` };
  }
  if (received !== "rejected") return { kind: "inconclusive", reason: said, evidence };
  const value = valueOf(probe, reply);
  if (value === undefined) {
    return { kind: "inconclusive", reason: phrase`${unrecognisable(operation)}`, evidence };
  }
  const view = await viewed(probe);
  const probes = [...evidence.probes, view.exchange.id];
  if (reception(view) !== "accepted") {
    return { kind: "inconclusive", reason: describeReply(view), evidence: { ...evidence, probes } };
  }
  if (!shows(view, value)) return { kind: "pass", reason: said, evidence: { ...evidence, probes } };
  return {
    kind: "fail",
    expected: phrase`nothing of an edit is applied that is refused`,
    actual: phrase`${said}, and the view shows ${valueFact(value)}, which was a part of it`,
    evidence: { ...evidence, probes },
    // No other write has the value.
    certainty: "proof",
  };
}

/** Whether two bodies can be combined so that the value of the good one is kept. */
function isCombinable(good: unknown, invalid: unknown): boolean {
  const both = combined(contentOf(good), contentOf(invalid));
  return both !== undefined && JSON.stringify(both).includes("${unique}");
}

function contentOf(body: unknown): unknown {
  return typeof body === "string" ? parseJson(body) : body;
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
