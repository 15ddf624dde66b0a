import type { OperationId } from "../../../src/contract/operations.ts";
import type { HttpRequest, Reply } from "../../../src/http/exchange.ts";
import { isObject, type JsonObject } from "../../../src/lib/json.ts";
import type { Mutation } from "../../../src/mutations/mutation.ts";
import { endCase, type Evidence, Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../../src/probe/probe.ts";
import { organizationOf } from "../../../src/probe/read/shapes.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { isWriteLimit } from "../../../src/probe/write/not-sent.ts";
import type { WritePurpose } from "../../../src/probe/write/purposes.ts";
import { viewed } from "../../../src/probe/write/unique-marker.ts";
import { PROFILE_NAMES } from "../profile/members.ts";
import { patchBetween } from "../profile/merge.ts";

/** Sends merge patches, and reads what became of the profile. */

export type WriteOperation = Extract<OperationId, "editOrganization" | "submitChange">;

/** What writes need beside what every case of their operation needs. */
export const WRITES = ["writes", "organizations.primary"] as const;

export const MERGE_PATCH = "application/merge-patch+json";

/** A profile as a view shows it. */
export interface View {
  readonly reply: Reply;
  readonly profile: JsonObject;
}

/**
 * Views the primary organization.
 * @throws CaseEnd (inconclusive) where the view shows no profile
 */
export async function view(probe: Probe): Promise<View> {
  const reply = await viewed(probe);
  const evidence = { probes: [reply.exchange.id] };
  if (reception(reply) !== "accepted")
    endCase(Finding.inconclusive(phrase`the view: ${describeReply(reply)}`, evidence));
  const { primary } = await probe.organizations();
  const profile = organizationOf(reply.json(), probe.target.operations.viewOrganization, primary);
  return isObject(profile)
    ? { reply, profile }
    : endCase(Finding.inconclusive(phrase`the view shows no profile`, evidence));
}

/** The members of a profile that are published, but for its id. */
export function published(profile: JsonObject): JsonObject {
  const members = PROFILE_NAMES.filter((name) => Object.hasOwn(profile, name));
  return Object.fromEntries(members.map((name) => [name, profile[name]]));
}

/** A request with another media type for its body. */
export function withMediaType(spec: HttpRequest, mediaType: string): HttpRequest {
  const others = spec.headers.filter(([name]) => name.toLowerCase() !== "content-type");
  return { ...spec, headers: [["content-type", mediaType], ...others] };
}

/** The media type of the suite's patches, and the answer to the first write that had it. */
export interface MediaType {
  readonly is: string;
  readonly reply: Reply;
  readonly evidence: Evidence;
  /** Whether that write has the body of the profile, so that nothing else can be wrong with it. */
  readonly isPlain: boolean;
}

/** The published media type, or that of the profile where the deployment refuses it. */
export function mediaTypeOf(operation: WriteOperation): Fixture<MediaType> {
  return {
    name: `media type of ${operation}`,
    scope: "run",
    needs: [...WRITES, `operations.${operation}.body`],
    async setup(probe): Promise<MediaType> {
      const { contentType = "application/json", body } = probe.target.operations[operation] ?? {};
      const control = await probe.control(operation);
      if (contentType.toLowerCase().startsWith(MERGE_PATCH)) {
        const { reply, exchange } = control;
        return { is: contentType, reply, evidence: { probes: [exchange] }, isPlain: true };
      }
      const isPlain = !/patch/i.test(contentType) && typeof body !== "string";
      const mutation: Mutation = {
        name: "merge-patch",
        what: `the media type is ${MERGE_PATCH}`,
        request: (spec) => ({
          ...withMediaType(spec, MERGE_PATCH),
          ...(!isPlain && { body: JSON.stringify({ mission: "Conformance" }) }),
        }),
      };
      const { reply, evidence } = await probe.attempt(mutation, { operation, purpose: "needed" });
      const is = reception(reply) === "accepted" ? MERGE_PATCH : contentType;
      return { is, reply, evidence, isPlain };
    },
  };
}

/** A patch that was sent, and its answer. */
export interface Sent {
  readonly patch: JsonObject;
  readonly reply: Reply;
  readonly evidence: Evidence;
}

/**
 * Sends a merge patch to the primary organization.
 * @param name of the mutation, unique in its fixture or case
 * @returns `undefined` where the run may not write any more
 * @throws CaseEnd where it cannot be sent
 */
export async function sendPatch(...args: Parameters<typeof trySending>): Promise<Sent | undefined> {
  const tried = await trySending(...args);
  if ("reply" in tried) return tried;
  return isWriteLimit(tried) ? undefined : endCase(tried);
}

async function trySending(
  probe: Probe,
  operation: WriteOperation,
  name: string,
  what: string,
  patch: JsonObject,
  purpose: WritePurpose = "needed",
): Promise<Sent | Finding> {
  const { is } = await probe.use(mediaTypeOf(operation));
  const mutation: Mutation = {
    name,
    what,
    request: (spec) => ({ ...withMediaType(spec, is), body: JSON.stringify(patch) }),
  };
  const tried = await probe.tryAttempt(mutation, { operation, purpose });
  return "attempt" in tried ? { patch, ...tried.attempt } : tried.finding;
}

/**
 * Sends a patch without which a case cannot go on.
 * @throws CaseEnd where the run may not write any more
 */
export async function sendNeeded(...args: Parameters<typeof sendPatch>): Promise<Sent> {
  const tried = await trySending(...args);
  return "reply" in tried ? tried : endCase(tried);
}

/**
 * Sets the published members of the profile back to what a view showed before.
 * @returns the members at the first level that still differ
 */
export async function setBack(probe: Probe, former: View): Promise<string[]> {
  const differing = (now: View): JsonObject | undefined =>
    patchBetween(published(now.profile), published(former.profile));
  const patch = differing(await view(probe));
  if (patch === undefined) return [];
  const what = "the body restores what was edited";
  await sendPatch(probe, "editOrganization", "set-back", what, patch, "control");
  const left = await probe.eventually(
    async () => differing(await view(probe)),
    (one) => one === undefined,
  );
  return Object.keys(left ?? {});
}
