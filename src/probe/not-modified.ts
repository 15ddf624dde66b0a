import type { InvalidMutation, Mutation } from "../mutations/mutation.ts";
import type { Target } from "../profile/target.ts";
import { custom, type JudgedCase } from "./cases.ts";
import { type CheckOptions, readFor, rejectOptions } from "./check-options.ts";
import type { Finding } from "./finding.ts";
import { near } from "./near-routes.ts";
import type { Probe } from "./probe.ts";

/**
 * Requests for what the client says that it has, RFC 9110 §13.1.2. A cache, or a handler that compares first, answers them
 * with 304 before a check.
 */

/** Matches whatever the resource is. */
const ANY = "*";

/** The request with If-None-Match. */
function conditional(mutation: InvalidMutation, tag: string): InvalidMutation {
  const condition: Mutation = {
    name: "if-none-match",
    what: "If-None-Match matches",
    request: (spec) => ({ ...spec, headers: [...spec.headers, ["if-none-match", tag]] }),
  };
  return near(mutation, condition);
}

/**
 * A case for a mutation that must be rejected although If-None-Match matches, `<mutation>-if-none-match@<operation>`.
 */
export function rejectsIfNoneMatch(
  target: Target,
  mutation: InvalidMutation,
  options: CheckOptions = {},
): JudgedCase[] {
  return custom(
    readFor(target, options),
    [conditional(mutation, ANY)],
    async (probe, { operation }): Promise<Finding> => {
      const { form, reply } = await probe.control(operation, { bound: options.bound });
      const tag = options.onDenied && !deniesPrimary(probe) ? ANY : (reply.headers["etag"] ?? ANY);
      const where = { ...rejectOptions(probe, options), bound: form.bound };
      return probe.rejects(conditional(mutation, tag), where);
    },
  );
}

/** Whether the denied organization is the control's. */
function deniesPrimary({ target: { denied, organizations } }: Probe): boolean {
  return denied?.organization === organizations.primary;
}
