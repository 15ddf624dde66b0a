import { RULES } from "../../../../suites/index.ts";
import { type OperationId, OPERATIONS } from "../../../contract/operations.ts";
import { isUuid } from "../../../contract/uuid.ts";
import { NO_RESPONSE } from "../../../http/connection/transport.ts";
import { createRecorder } from "../../../http/recording/record.ts";
import { SuiteError } from "../../../lib/errors.ts";
import type { Mutation, MutationContext } from "../../../mutations/mutation.ts";
import type { ComposedRequest } from "../../../probe/compose.ts";
import { type PathParams, seededUuid } from "../../../probe/request.ts";
import { mutationsOf, onlyMutation } from "../../../probe/rule.ts";
import type { Target } from "../../../profile/target.ts";
import { curlCommand } from "../../../report/curl.ts";
import type { TokenForm } from "../../../tokens/draft.ts";
import type { TokenFlags } from "./flags.ts";

/** One mutation that a rule applies to good requests, with the operations of its cases. */
export interface NamedMutation {
  /** `<rule id>/<name>`: the id of its cases up to the `@`. */
  readonly name: string;
  readonly mutation: Mutation;
  readonly operations: readonly OperationId[];
  /** Set when the mutation needs a bound token (true) or an unbound one (false). */
  readonly bound?: boolean | undefined;
  /** How many requests its case sends. Default: one. */
  readonly sends?: number | undefined;
}

/**
 * The mutations of the rules.
 * @param part which one of a case that makes several; default: such cases are left out
 */
export function namedMutations(target: Target, part?: string): NamedMutation[] {
  const found = new Map<string, NamedMutation>();
  for (const rule of RULES) {
    for (const testCase of rule.cases(target)) {
      const { id, operation, control, sends } = testCase;
      const mutation =
        mutationsOf(testCase).find((one) => one.name === part) ?? onlyMutation(testCase);
      if (mutation === undefined || operation === undefined) continue;
      const name = `${rule.id}/${id.split("@", 1)[0]}`;
      const known = found.get(name);
      found.set(name, {
        name,
        mutation,
        operations: [...(known?.operations ?? []), operation],
        ...(control?.bound !== undefined && { bound: control.bound }),
        sends,
      });
    }
  }
  return [...found.values()];
}

const SEED = 0;

/**
 * The context of the request that a token is for, which mutations need.
 * @throws SuiteError when the organization is not a UUID, or the mutation needs one and none is known
 */
export function contextFor(
  target: Target,
  { mutation, bound, name }: NamedMutation,
  id: OperationId,
  flags: TokenFlags,
): MutationContext {
  const { primary, other } = target.organizations;
  const usual = mutation.refused?.check === "policy" ? target.denied?.organization : primary;
  const organization = flags.organization ?? usual;
  if (organization !== undefined && !isUuid(organization)) {
    throw new SuiteError(
      "ERR_FLAG",
      "--organization is not a UUID, as the id of an organization must be",
    );
  }
  const isBound =
    bound ??
    (mutation.refused?.check === "binding" ||
      (flags.unbound !== true && OPERATIONS[id].organization));
  if (mutation.refused?.check === "binding" && organization === undefined) {
    throw new SuiteError("ERR_FLAG", `${name} needs an organization, and none is known`, {
      hint: "Name it with --organization, or as `organizations.primary` in the profile.",
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

export function samplePlace({ target, organization }: MutationContext): PathParams {
  return {
    organization: organization ?? uuid("organization"),
    changeId: target.operations.readChange?.changeId ?? uuid("change"),
  };
}

/** The request as a `curl` command, with the token in the variable `TOKEN`. */
export function asCurl(target: Target, { request: composed, token }: ComposedRequest): string[] {
  const own = Object.entries(target.request.headers);
  const whole = { ...composed, headers: [...own, ...composed.headers] };
  const sender = { caseId: "", token };
  const { request: recorded } = createRecorder(target).record(whole, NO_RESPONSE, sender);
  // Everything but the token is what the mutation changes.
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

/** A UUID that names nothing that exists. The same label always gives the same UUID. */
function uuid(label: string): string {
  return seededUuid(SEED, label);
}
