import PQueue from "p-queue";

import type { Reply, HttpRequest } from "../http/exchange.ts";

/** What stands in a header of the profile for the ETag that a view has just given. */
const PLACEHOLDER = "${etag}";

/**
 * Sends a request with the ETag of an organization.
 * @param organization the one in its path
 * @param send sends it as it is then
 */
export type SendWithEtag = (
  spec: HttpRequest,
  organization: string | undefined,
  send: (spec: HttpRequest) => Promise<Reply>,
) => Promise<Reply>;

/**
 * Makes what sends requests whose headers have `${etag}`: view and write follow one another, and no other
 * such pair comes between them, or the ETag would not be that of the organization any more. A 412 (RFC 9110
 * §13.1.1) tells that somebody else wrote in between: then it is done once more.
 * A header whose ETag nobody has ever told is left out.
 * @param view sends a good view of an organization; `undefined` where none is accepted
 */
export function createEtagSender(
  view: (organization: string | undefined) => Promise<Reply | undefined>,
): SendWithEtag {
  const pairs = new PQueue({ concurrency: 1 });
  let last: string | undefined;

  async function filled(spec: HttpRequest, organization: string | undefined): Promise<HttpRequest> {
    // Of an organization that nobody may view any ETag will do: its writes are not to be carried out.
    last = (await view(organization))?.headers["etag"] ?? last;
    const etag = last;
    const headers = spec.headers.flatMap(([name, value]): [string, string][] => {
      if (!value.includes(PLACEHOLDER)) return [[name, value]];
      return etag === undefined ? [] : [[name, value.replaceAll(PLACEHOLDER, etag)]];
    });
    return { ...spec, headers };
  }

  return (spec, organization, send) => {
    if (!needsEtag(spec)) return send(spec);
    return pairs.add(async () => {
      const reply = await send(await filled(spec, organization));
      return reply.status === 412 ? send(await filled(spec, organization)) : reply;
    });
  };
}

function needsEtag({ headers }: HttpRequest): boolean {
  return headers.some(([, value]) => value.includes(PLACEHOLDER));
}
