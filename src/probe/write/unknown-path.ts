import type { HttpClient } from "../../http/client.ts";
import type { Target } from "../../profile/target.ts";
import { wasLetIn } from "../reception.ts";
import { seededUuid } from "../request.ts";

/** What a deployment answers to a GET of a path that does not exist there. The request is sent once, when it first matters. */
export interface UnknownPath {
  /** Sends the request, unless it was sent before. */
  look(): Promise<void>;
  /** The body, if the answer was 2xx and had one. `undefined` until the answer came. */
  readonly body: string | undefined;
}

/** Creates the unknown path of a run. It sends nothing before `look`. */
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
