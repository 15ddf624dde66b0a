import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import {
  describeResponse,
  exchangeOf,
} from "../../../src/authorization-server/protocol/token-response.ts";
import { isSameUuid } from "../../../src/contract/uuid.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";
import { ORGANIZATION_NAMES } from "../../shared/mutations/requests.ts";

/** Observes whether a client gets a token for the organization that its request names, though it is not the client's own. */
export async function observeRequestedBinding(
  probe: ServerProbe,
  client: Client,
): Promise<Finding> {
  const { bindingClaim = "", organizations } = probe.target;
  const wanted = [organizations.other, organizations.primary].find(
    (id) => id !== undefined && !isSameUuid(id, client.organization),
  );
  if (wanted === undefined) {
    return { kind: "not-applicable", reason: phrase`no other organization is known` };
  }
  await probe.control(client);
  const parameters = Object.fromEntries(
    [bindingClaim, ...ORGANIZATION_NAMES].map((name) => [name, wanted]),
  );
  const response = await probe.clientCredentials(client, client.scopes, { parameters });
  const evidence = { probes: [exchangeOf(response)] };
  if (response.claims === undefined) {
    return { kind: "observed", value: phrase`${describeResponse(response)}`, evidence };
  }
  const bound = response.claims[bindingClaim];
  const value =
    typeof bound === "string" && isSameUuid(bound, wanted)
      ? phrase`the claim is the organization that the request names: the client may act on any`
      : phrase`the claim does not follow the request`;
  return { kind: "observed", value, evidence };
}
