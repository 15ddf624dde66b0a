import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import { isErrorPage } from "../../../src/authorization-server/protocol/front-channel.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";
import { follow } from "./error-redirect.ts";

/**
 * Judges that a request gives no code because of its `response_type`, RFC 6749 section 3.1.1.
 * @param responseType an unknown one, or `undefined` for none
 */
export async function judgeResponseType(
  probe: ServerProbe,
  client: Client,
  responseType: string | undefined,
): Promise<Finding> {
  const control = await probe.control(client);
  const change = { response_type: responseType };
  const led = await follow(probe, client, { change });
  const isErrorRedirect = led.kind === "redirected" && !led.url.searchParams.has("code");
  if (isErrorRedirect || isErrorPage(led)) {
    return {
      kind: "pass",
      evidence: { probes: [led.exchange], controls: [control.token.exchange] },
    };
  }
  // Otherwise the answer shows only after a login.
  const tried = await probe.tryCode(client, client.scopes, { change });
  const evidence = { probes: [], controls: [control.token.exchange] };
  if (!("failed" in tried)) {
    return {
      kind: "fail",
      expected: phrase`no code is issued`,
      actual: phrase`there is a code`,
      evidence,
    };
  }
  if (tried.unclear) return { kind: "inconclusive", reason: phrase`${tried.failed}` };
  return { kind: "pass", reason: phrase`no code was issued: ${tried.failed}`, evidence };
}

/** Judges that a good authorization request with an unknown parameter gives a code, RFC 6749 section 3.1. */
export async function judgeUnknownParameter(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const change = { conformance: "unknown" };
  const tried = await probe.tryCode(client, client.scopes, { change });
  const evidence = { probes: [], controls: [control.token.exchange] };
  if (!("failed" in tried)) return { kind: "pass", evidence };
  if (tried.unclear) return { kind: "inconclusive", reason: phrase`${tried.failed}` };
  return {
    kind: "fail",
    expected: phrase`a code`,
    actual: phrase`${tried.failed}`,
    evidence,
    comparative: true,
  };
}
