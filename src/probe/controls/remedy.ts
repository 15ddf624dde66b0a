import { type OperationId, OPERATIONS } from "../../contract/operations.ts";

/** What to set in the profile where a good request is refused with a status that may be due to the request. */
const REMEDIES: Readonly<Record<number, (id: OperationId) => string>> = {
  400: requestWanted,
  406: (id) => `set its media type in the profile: \`Accept\` in \`operations.${id}.headers\``,
  409: requestWanted,
  412: (id) =>
    `set the required precondition in the profile: \`operations.${id}.headers\`, where \`If-Match: \${etag}\` is the organization's current \`ETag\``,
  415: (id) =>
    `set the media type that it accepts in the profile: \`operations.${id}.contentType\``,
  422: requestWanted,
  428: (id) =>
    `set the header that it requires in the profile: \`operations.${id}.headers\`, such as \`If-Match: \${etag}\``,
};

/** What the profile can change where a good request of an operation is refused; `undefined` where the status names nothing. */
export function profileRemedy(id: OperationId, status: number): string | undefined {
  return REMEDIES[status]?.(id);
}

/** Whether a good request may be refused so for the profile, a policy or an unknown state, and not for a fault. */
export function isSetUpMatter(status: number): boolean {
  return status === 403 || status in REMEDIES;
}

function requestWanted(id: OperationId): string {
  return OPERATIONS[id].writes
    ? `set a request that it accepts in the profile: \`operations.${id}.body\`, and \`operations.${id}.headers\` if it requires headers`
    : `set the headers that it requires in the profile: \`operations.${id}.headers\``;
}
