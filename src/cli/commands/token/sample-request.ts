import { OPERATIONS, type OperationId } from "../../../contract/operations.ts";
import { isUuid } from "../../../contract/uuid.ts";
import { createRecorder } from "../../../http/record.ts";
import { SuiteError } from "../../../lib/errors.ts";
import type { MutationContext } from "../../../mutations/mutation.ts";
import type { ComposedRequest } from "../../../probe/compose.ts";
import type { PathParams } from "../../../probe/request.ts";
import { seededUuid } from "../../../probe/seeded.ts";
import type { Target } from "../../../profile/target.ts";
import { curlCommand } from "../../../report/curl.ts";
import type { TokenForm } from "../../../tokens/draft.ts";
import type { TokenFlags } from "./flags.ts";
import type { NamedMutation } from "./named-mutations.ts";

const SEED = 0;

/**
 * The request that a token is to be for, so that a mutation knows what it is about.
 * @throws SuiteError when the organization is none, or none is known and the mutation is about one
 */
export function contextFor(
  target: Target,
  { mutation, bound, name }: NamedMutation,
  id: OperationId,
  flags: TokenFlags,
): MutationContext {
  const { primary, other } = target.organizations;
  const usual = mutation.check === "policy" ? target.denied?.organization : primary;
  const organization = flags.organization ?? usual;
  if (organization !== undefined && !isUuid(organization)) {
    throw new SuiteError("ERR_FLAG", "The id of an organization is a UUID; --organization is none");
  }
  const isBound =
    bound ??
    (mutation.check === "binding" || (flags.unbound !== true && OPERATIONS[id].organization));
  if (mutation.check === "binding" && organization === undefined) {
    throw new SuiteError("ERR_FLAG", `${name} is about an organization, and none is known`, {
      hint: "Name it with --organization, or in the profile: organizations.primary.",
    });
  }
  const form: TokenForm = {
    typ: flags.typ === "none" ? undefined : flags.typ,
    bound: isBound,
    scopes: "required",
    clockOffsetSeconds: 0,
  };
  return {
    target,
    operation: OPERATIONS[id],
    form,
    organization,
    otherOrganization:
      [other, primary].find((one) => one !== undefined && one !== organization) ??
      uuid("bound nowhere"),
    uuid,
  };
}

/** What the path of the request names. */
export function samplePlace({ target, organization }: MutationContext): PathParams {
  return {
    organization: organization ?? uuid("organization"),
    changeId: target.operations.readChange?.changeId ?? uuid("change"),
  };
}

/** The request as `curl`, the token in the variable `TOKEN`. */
export function asCurl(target: Target, { request: composed, token }: ComposedRequest): string[] {
  const own = Object.entries(target.request.headers);
  const whole = { ...composed, headers: [...own, ...composed.headers] };
  const recorder = createRecorder(target);
  const recorded = recorder.request(whole, undefined, recorder.redactorFor(token));
  // What of it is no token is what the mutation is about.
  const request = {
    ...recorded,
    headers: whole.headers.map(([name, value], at): readonly [string, string] =>
      name === "authorization"
        ? [name, value.replaceAll(token, "[redacted]")]
        : (recorded.headers[at] ?? [name, ""]),
    ),
  };
  return curlCommand({ request });
}

/** Names nothing that exists, and the same each time. */
function uuid(label: string): string {
  return seededUuid(SEED, label);
}
