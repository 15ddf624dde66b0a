import type { OperationId } from "../../../src/contract/operations.ts";
import type { Reply } from "../../../src/http/exchange.ts";
import { pointerToken } from "../../../src/lib/json-pointer.ts";
import { isObject, parseJson } from "../../../src/lib/json.ts";
import type { Mutation } from "../../../src/mutations/mutation.ts";
import { Finding, optional } from "../../../src/probe/finding.ts";
import { countFact, type Fact, listFact, phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { findItems } from "../../../src/probe/read/items.ts";
import { organizationOf, pointerTo } from "../../../src/probe/read/shapes.ts";
import { searchable } from "../../../src/probe/read/texts.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { leavesOf, lostMembers, setAt, type View } from "../../../src/probe/write/restore.ts";
import { shows, valueOf, viewed } from "../../../src/probe/write/unique-marker.ts";
import { hasMovedOn, type MemberChange, memberChanges, membersOf } from "./members.ts";
import { findValue, type Reading } from "./read-back.ts";
import { rejectAgain, type Rejections, rejections } from "./rejections.ts";

/** What rejected writes change, beside the values that they would have written. */

/** The members that rejected writes may have changed, which has to be seen once more. */
interface Suspicion {
  readonly changes: readonly MemberChange[];
  /** Members of the organization without a value that had one before the first edit of the run, with that value. */
  readonly lost: Readonly<Record<string, unknown>>;
}

/**
 * Judges that no member of the organization changed across rejected writes. One that did may have changed by itself or by
 * an accepted write. So the writes are sent again, alone, after an edit that sets everything again: it must stay as it is
 * in an equally long time before them, change in the same way, and stay as it is after them.
 */
export async function nothingChanged(probe: Probe, operation: OperationId): Promise<Finding> {
  const seen = await probe.use(rejections(operation));
  const { attempts } = seen;
  const carriedOut = findValue(seen.after, seen.rejected);
  if (carriedOut) {
    const reason = phrase`a rejected write was carried out, which ${"receiver.no-side-effects"}/rejected@${operation} reports`;
    return Finding.inconclusive(reason);
  }
  const probes = [...readings(seen.before), ...readings(seen.after)].map((one) => one.exchange);
  if (probes.length < 2) return Finding.inconclusive(phrase`the organization could not be viewed`);
  const accepted = attempts.find(({ reply }) => reception(reply) === "accepted");
  if (accepted) {
    const reason = phrase`a write that had to be rejected was not: ${describeReply(accepted.reply)}`;
    return Finding.inconclusive(reason, accepted.evidence);
  }
  if (!attempts.some(({ reply }) => reception(reply) === "rejected")) {
    return Finding.inconclusive(phrase`no write of ${operation} was rejected`);
  }
  const suspicion = await suspicionOf(probe, seen);
  const isNone = suspicion.changes.length === 0 && Object.keys(suspicion.lost).length === 0;
  return isNone
    ? Finding.pass({ probes }, phrase`after ${counted(attempts)} all is as before`)
    : seenAgain(probe, operation, seen, suspicion);
}

/** Records what else rejected writes changed: members that may change by themselves, and records of the feed. */
export async function otherChanges(probe: Probe, operation: OperationId): Promise<Finding> {
  const seen = await probe.use(rejections(operation));
  const { changes } = await suspicionOf(probe, seen);
  const others = changesBetween(seen).filter((one) => !changes.some(({ at }) => at === one.at));
  const more = recordsIn(probe, seen.after) - recordsIn(probe, seen.before);
  const told = [
    ...(others.length > 0 ? [phrase`members of the view: ${placesOf(others)}`] : []),
    ...(more > 0
      ? [phrase`${countFact(more, "further record")} of the feed without a value of the run`]
      : []),
    ...(more < 0
      ? [phrase`${countFact(-more, "record")} of the feed without a value of the run is gone`]
      : []),
  ];
  return Finding.observed(told.length > 0 ? phrase`${listFact(told, "; ")}` : phrase`nothing`, {
    probes: [...seen.before, ...seen.after].map(({ exchange }) => exchange),
  });
}

async function suspicionOf(probe: Probe, seen: Rejections): Promise<Suspicion> {
  const { editOrganization, submitChange, viewOrganization } = probe.target.operations;
  const original = await probe.original();
  const earlier = original && membersOf(original.body);
  const edited = [editOrganization, submitChange].flatMap((one) => leavesOf(one && one.body));
  const names = new Set(edited.map(({ path }) => pointerToken(path.at(-1) ?? "")));
  const isEdited = ({ at }: MemberChange): boolean => at.split("/").some((name) => names.has(name));
  const [after] = readings(seen.after);
  const { primary: asked } = await probe.organizations();
  const body = parseJson(after?.body ?? "");
  const place = pointerTo(body, organizationOf(body, viewOrganization, asked)) ?? "";
  // A further member beside the organization's own ones may be anything.
  const isBeside = ({ at }: MemberChange): boolean =>
    at.endsWith("/-") && `${place}/-`.startsWith(at.slice(0, -1));
  const changes = changesBetween(seen).filter(
    (one) =>
      isEdited(one) || ((earlier?.has(one.at) ?? true) && !hasMovedOn(one) && !isBeside(one)),
  );
  const view = (shown: unknown): View => ({ body: shown, profile: viewOrganization, asked });
  const first = original && organizationOf(original.json(), viewOrganization, asked);
  const lost =
    original && after
      ? (lostMembers(view(original.json()), view(parseJson(after.body))) ?? [])
      : [];
  return {
    changes,
    lost: Object.fromEntries(
      lost.flatMap((name) =>
        isObject(first) && !names.has(pointerToken(name)) ? [[name, first[name]]] : [],
      ),
    ),
  };
}

async function seenAgain(
  probe: Probe,
  operation: OperationId,
  { tookMs }: Rejections,
  suspicion: Suspicion,
): Promise<Finding> {
  const first = await viewAnew(probe, suspicion.lost);
  await probe.wait(tookMs);
  const before = await viewed(probe);
  const beganMs = performance.now();
  const attempts = await rejectAgain(probe, operation);
  const after = await viewed(probe);
  await probe.wait(performance.now() - beganMs);
  const last = await viewed(probe);
  const rejected = attempts.filter(({ reply }) => reception(reply) === "rejected");
  const evidence = {
    probes: [before, ...rejected.map(({ reply }) => reply), after].map(
      ({ exchange }) => exchange.id,
    ),
    controls: [first.exchange.id, last.exchange.id],
  };
  const bad = [first, before, after, last].find((one) => reception(one) !== "accepted");
  if (bad || rejected.length < attempts.length) {
    const reason = phrase`a member of the view changed, and the writes could not be sent again alone`;
    return Finding.inconclusive(reason, evidence);
  }
  const changes = memberChanges(before.body, after.body).filter(
    (one) =>
      isSuspected(one, suspicion) && stays(one.at, first, before) && stays(one.at, after, last),
  );
  if (changes.length === 0) {
    const reason = phrase`the view changes without rejected writes, or did not change with them again`;
    return Finding.pass(evidence, reason);
  }
  return {
    kind: "fail",
    expected: phrase`a rejected write changes nothing of the organization`,
    actual: phrase`twice, after ${counted(attempts)} and no accepted write, the view shows otherwise: ${placesOf(changes)}`,
    evidence,
    // It was seen twice, and not without these writes.
    certainty: "proof",
  };
}

function stays(at: string, a: Reply, b: Reply): boolean {
  return membersOf(a.body).get(at) === membersOf(b.body).get(at);
}

function isSuspected({ at, how }: MemberChange, { changes, lost }: Suspicion): boolean {
  const names = at.split("/");
  return (
    changes.some((one) => one.at === at && one.how === how) ||
    (how === "gone" && Object.keys(lost).some((name) => names.includes(pointerToken(name))))
  );
}

/**
 * The view after an edit, so that what rejected writes took away is there to be taken away again; the view as it is where
 * no edit is offered or accepted.
 * @param lost members that the edit sets too, where the deployment accepts that
 */
async function viewAnew(probe: Probe, lost: Readonly<Record<string, unknown>>): Promise<Reply> {
  const plain: Mutation = { name: "edit", what: "an edit, before writes that must be rejected" };
  const edits =
    Object.keys(lost).length > 0 ? [{ ...plain, request: setting(probe, lost) }, plain] : [plain];
  const { editOrganization } = probe.target.operations;
  let value: string | undefined;
  for (const edit of editOrganization ? edits : []) {
    const sent = await optional(
      probe.attempt(edit, { operation: "editOrganization", purpose: "needed" }),
    );
    if (!sent || reception(sent.reply) !== "accepted") continue;
    value = valueOf(probe, sent.reply);
    break;
  }
  return probe.eventually(
    () => viewed(probe),
    (view) =>
      (value === undefined || shows(view, value)) &&
      !probe.mayMissWrites({ probes: [view.exchange.id] }),
  );
}

/** Adds members beside the first one that the profile's edit sets. */
function setting(
  { target }: Probe,
  members: Readonly<Record<string, unknown>>,
): NonNullable<Mutation["request"]> {
  const [leaf] = leavesOf(target.operations.editOrganization?.body);
  const parent = leaf?.path.slice(0, -1) ?? [];
  return (spec) => {
    const body = parseJson(spec.body ?? "");
    if (!isObject(body)) return spec;
    const set: Record<string, unknown> = { ...body };
    for (const [name, value] of Object.entries(members)) setAt(set, [...parent, name], value);
    return { ...spec, body: JSON.stringify(set) };
  };
}

function changesBetween({ before, after }: Rejections): MemberChange[] {
  const [then] = readings(before);
  const [now] = readings(after);
  return then && now ? memberChanges(then.body, now.body) : [];
}

/** The view of the primary organization, if it was accepted. */
function readings(all: readonly Reading[]): readonly Reading[] {
  return all.filter(({ where }) => where === "the organization").slice(0, 1);
}

/** The records of the primary organization's feed that have no value of the run. */
function recordsIn({ target, seen: { uniqueValues } }: Probe, all: readonly Reading[]): number {
  const profile = target.operations.readChangesFeed || undefined;
  const records = all
    .filter(({ where }) => where === "the feed")
    .flatMap(({ body }) => findItems(parseJson(body), profile) ?? []);
  const values = uniqueValues.map(({ value }) => value.toLowerCase());
  return records.filter((record) => {
    const text = searchable(JSON.stringify(record));
    return !values.some((value) => text.includes(value));
  }).length;
}

function counted(attempts: readonly unknown[]): Fact {
  return countFact(attempts.length, "rejected write");
}

function placesOf(changes: readonly MemberChange[]): Fact {
  return listFact(changes.map(({ at, how }) => phrase`${valueFact(at)} (${how})`));
}
