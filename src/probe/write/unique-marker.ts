import type { OperationId } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import type { Mutation } from "../../mutations/mutation.ts";
import type { Facts } from "../../profile/facts.ts";
import type { Probe } from "../probe.ts";
import { searchable } from "../read/texts.ts";
import type { UniqueValue } from "../unique-value.ts";

/** Recognises what the suite wrote, by the value of `${unique}`. */

/** Reads what a good token may read, past caches that follow RFC 9111 §5.2.1.4. */
export const reading: Mutation = {
  name: "read-back",
  what: "nothing but the time",
  request: (spec) => ({ ...spec, headers: [...spec.headers, ["cache-control", "no-cache"]] }),
};

/** The current view of an organization, by default the primary one. */
export async function viewed(probe: Probe, organization?: string): Promise<Reply> {
  const options = { operation: "viewOrganization", organization } as const;
  return (await probe.attempt(reading, options)).reply;
}

/** The value by which a sent write is recognised; `undefined` where the body has no `${unique}`. */
export function valueOf(probe: Probe, { exchange }: Pick<Reply, "exchange">): string | undefined {
  const sent = probe.seen.uniqueValues.find((one) => one.exchange === exchange.id);
  return sent && isRecognisable(probe.target, sent.operation) ? sent.value : undefined;
}

/** The run's accepted writes of an operation so far, in the order of their answers. */
export function acceptedWrites(
  { seen }: Pick<Probe, "seen">,
  operation: OperationId,
): UniqueValue[] {
  return seen.uniqueValues.filter(
    (one) => one.operation === operation && one.received === "accepted",
  );
}

/** Whether the profile's body has a value by which a write is recognised. */
export function isRecognisable({ operations }: Facts, operation: OperationId): boolean {
  return JSON.stringify(operations[operation]?.body ?? "").includes("${unique}");
}

/** Why nothing can be concluded from a write that cannot be recognised. */
export function unrecognisable(operation: OperationId): string {
  return `\`operations.${operation}.body\` has no \`\${unique}\`, by which the write could be recognised`;
}

/** Whether an answer shows a written value, in any letter case. */
export function shows({ body }: Pick<Reply, "body">, value: string): boolean {
  return searchable(body).includes(value.toLowerCase());
}
