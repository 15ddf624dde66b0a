import { noCode, violation } from "../../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import { isErrorPage } from "../../../src/authorization-server/protocol/front-channel.ts";
import { Finding } from "../../../src/probe/finding.ts";
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
    return Finding.pass({ probes: [led.exchange], controls: [control.exchange] });
  }
  // Otherwise the answer shows only after a login.
  const tried = await probe.tryCode(client, client.scopes, { change });
  const evidence = { probes: [], controls: [control.exchange] };
  return "failed" in tried
    ? noCode(tried, evidence)
    : violation(phrase`there is a code`, phrase`no code is issued`, evidence);
}

/** Judges that a good authorization request with an unknown parameter gives a code, RFC 6749 section 3.1. */
export async function judgeUnknownParameter(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const change = { conformance: "unknown" };
  const tried = await probe.tryCode(client, client.scopes, { change });
  const evidence = { probes: [], controls: [control.exchange] };
  if (!("failed" in tried)) return Finding.pass(evidence);
  const actual = phrase`${tried.failed}`;
  if (tried.unclear) return Finding.inconclusive(actual);
  return { kind: "fail", expected: phrase`a code`, actual, evidence, comparative: true };
}
