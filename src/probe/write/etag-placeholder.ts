import PQueue from "p-queue";

import type { Reply, HttpRequest } from "../../http/exchange.ts";

/** The text in a profile's header that is replaced by the ETag of the latest view. */
const PLACEHOLDER = "${etag}";

/** Sends a request with the ETag of the organization in its path. */
export type SendWithEtag = (
  spec: HttpRequest,
  organization: string | undefined,
  send: (spec: HttpRequest) => Promise<Reply>,
) => Promise<Reply>;

/**
 * Creates a sender for requests whose headers contain `${etag}`. It sends a view and then the write,
 * one pair at a time, because another write in between would change the ETag. After a 412 (RFC 9110
 * §13.1.1), which means that another client wrote in between, it repeats the pair once. It leaves out
 * a header for which no ETag is known.
 * @param view sends a good view of an organization; `undefined` where none is accepted
 */
export function createEtagSender(
  view: (organization: string | undefined) => Promise<Reply | undefined>,
): SendWithEtag {
  const pairs = new PQueue({ concurrency: 1 });
  let last: string | undefined;

  async function filled(spec: HttpRequest, organization: string | undefined): Promise<HttpRequest> {
    // For an organization that cannot be viewed, any ETag will do: its writes must be refused anyway.
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
