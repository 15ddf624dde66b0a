import { type Mutation, unchanged } from "../mutations/mutation.ts";
import type { Finding } from "./finding.ts";
import type { AttemptOptions, Probe } from "./probe.ts";

/** A write that another case makes in between changes the tag, hardly ever so often. */
const MOST_TRIES = 3;

/**
 * Judges a request with the entity tag that a good read has just been answered with. A refusal counts only if the tag is
 * still current afterwards: with an old one, a cache does not answer either.
 * @param options the good read, of the case's operation
 * @param judge `undefined` where the read is answered without a tag
 */
export async function withCurrentTag(
  probe: Probe,
  options: AttemptOptions,
  judge: (tag: string | undefined) => Promise<Finding>,
): Promise<Finding> {
  let tag = await currentTag(probe, options);
  for (let tries = 1; ; tries++) {
    const finding = await judge(tag);
    if (tag === undefined || finding.kind !== "pass" || tries === MOST_TRIES) return finding;
    const now = await currentTag(probe, options);
    if (now === tag) return finding;
    tag = now;
  }
}

/** A mutation that also sends If-None-Match. */
export function unlessMatching<M extends Mutation>(mutation: M, tag: string): M {
  return {
    ...mutation,
    request: (spec) => ({ ...spec, headers: [...spec.headers, ["if-none-match", tag]] }),
  };
}

async function currentTag(probe: Probe, options: AttemptOptions): Promise<string | undefined> {
  const { reply } = await probe.attempt(unchanged, options);
  return reply.headers["etag"];
}
