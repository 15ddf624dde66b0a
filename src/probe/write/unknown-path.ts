import type { HttpClient } from "../../http/client.ts";
import type { Target } from "../../profile/target.ts";
import { wasLetIn } from "../reception.ts";
import { seededUuid } from "../seeded-uuid.ts";

/** What a deployment answers to a GET of a path that nothing has. It is asked once, when it first matters. */
export interface UnknownPath {
  /** Asks, unless it was asked before. */
  look(): Promise<void>;
  /** The body, if the answer was 2xx and had one. `undefined` as long as it was not asked. */
  readonly body: string | undefined;
}

/** Creates it for a run. Nothing is sent before `look`. */
export function createUnknownPath(
  { basePath }: Pick<Target, "basePath">,
  http: Pick<HttpClient, "send">,
  seed: number,
): UnknownPath {
  const path = `${basePath}/conformance-${seededUuid(seed, "path of nothing")}`;
  let body: string | undefined;
  let asked: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    const context = { caseId: "shared/path-of-nothing" };
    const reply = await http.send({ method: "GET", path, headers: [] }, context);
    if (wasLetIn(reply) && reply.hasBody && !reply.cut) body = reply.body;
  };
  return {
    look: () => (asked ??= ask()),
    get body() {
      return body;
    },
  };
}
