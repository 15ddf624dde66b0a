import type { Mutation } from "../../src/mutations/mutation.ts";
import { optional } from "../../src/probe/finding.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { reception } from "../../src/probe/reception.ts";
import { restoringBody } from "../../src/probe/write/restore.ts";

/**
 * Sets the edited members of an organization back to what its view has shown.
 * @param body what the view of the organization has shown before
 * @param more further members to set
 * @returns whether an edit that sets the organization back was accepted
 * @throws Interrupted
 */
export async function setBack(
  probe: Probe,
  organization: string,
  body: unknown,
  more: Readonly<Record<string, unknown>> = {},
): Promise<boolean> {
  const { editOrganization, viewOrganization } = probe.target.operations;
  const view = { body, profile: viewOrganization, asked: organization };
  const restoring = restoringBody(editOrganization?.body, editOrganization?.contentType, view);
  if (restoring === undefined) return false;
  const change: Mutation = {
    name: "set-back",
    what: "the body restores what was edited",
    request: (spec) => ({ ...spec, body: JSON.stringify({ ...restoring, ...more }) }),
  };
  const options = { operation: "editOrganization", organization, purpose: "control" } as const;
  const back = await optional(probe.attempt(change, options));
  return back !== undefined && reception(back.reply) === "accepted";
}
