import type { OperationId } from "../contract/operations.ts";
import { type Mutation, signedAnew } from "../mutations/mutation.ts";
import type { AttemptOptions, Probe } from "../probe/probe.ts";
import { type Change, mutationOf } from "./change.ts";
import type { Draw, Step } from "./draws.ts";

/** No Authorization header. */
export const WITHOUT_TOKEN: Mutation = {
  name: "explored-step",
  what: "no Authorization header",
  authorization: () => [],
};

const PAGED: Mutation = {
  name: "explored-step",
  what: "the first page, of one item",
  request: (request) => ({ ...request, path: `${request.path}?page=1&pageSize=1` }),
};

const FORGED: Change = { of: "forgery", how: "another key", n: 0 };

/**
 * Sends the requests before the judged one. Their answers are not judged, and one that cannot be sent is left out.
 * @param judged the request itself, which may be sent before it is judged
 * @param age of the judged token, which some of these requests have too, so that a receiver may take their tokens for one
 */
export async function takeSteps(
  probe: Probe,
  draw: Draw,
  judged: Mutation,
  age: number,
): Promise<void> {
  for (const step of draw.before) await takeStep(probe, step, draw, judged, age);
}

async function takeStep(
  probe: Probe,
  step: Step,
  { operation, bound, open }: Draw,
  judged: Mutation,
  age: number,
): Promise<void> {
  const { denied, organizations } = probe.target;
  const send = async (mutation: Mutation, options: AttemptOptions): Promise<void> => {
    const id: OperationId = options.operation ?? operation;
    if (probe.target.operations[id])
      await probe.tryAttempt(mutation, { operation: id, ...options });
  };
  switch (step) {
    case "the good request":
      return send(signedAnew, { bound, purpose: "further" });
    case "the good request of the same second":
      return send(mutationOf("explored-step", open), { bound, age, purpose: "further" });
    case "a token like it with a forged signature":
      return send(mutationOf("explored-step", [...open, FORGED]), { bound, age });
    case "a good request for one organization":
      return send(signedAnew, { operation: "viewOrganization" });
    case "a good list":
      return send(signedAnew, { operation: "listOrganizations" });
    case "a page of the list":
      return send(PAGED, { operation: "listOrganizations" });
    case "a good request for another organization":
      return send(signedAnew, {
        operation: "viewOrganization",
        organization: organizations.other,
        bound,
      });
    case "a good request of the denied subject":
      return send(
        { ...signedAnew, token: { claims: { sub: denied?.subject } } },
        { operation: "viewOrganization", organization: organizations.other, bound: false },
      );
    case "a request without a token":
      return send(WITHOUT_TOKEN, { purpose: "unwanted" });
    case "the same request":
      return send(judged, { bound });
    case "an edit":
      return send(signedAnew, { operation: "editOrganization", purpose: "further" });
  }
}
