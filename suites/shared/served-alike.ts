import type { Reply } from "../../src/http/exchange.ts";
import { atPointer } from "../../src/lib/json-pointer.ts";
import type { Attempt, Probe } from "../../src/probe/probe.ts";
import { organizationId } from "../../src/probe/read/shapes.ts";
import { isLong, textsIn } from "../../src/probe/read/texts.ts";
import { reception } from "../../src/probe/reception.ts";
import type { Facts } from "../../src/profile/facts.ts";

/** What an accepted answer to a good read shows, and what it has in common with another one. */
export interface GoodAnswer {
  readonly body: string;
  /** The organization that it shows, if it can be recognised. */
  readonly organization: string | undefined;
  /** The texts that both good answers have, apart from those of the request. */
  readonly texts: ReadonlySet<string>;
}

/** What a good answer shows, compared with the control of its request. `undefined` where it shows another thing. */
export function goodAnswer(probe: Probe, { reply, control }: Attempt): GoodAnswer | undefined {
  const known = shown(probe.target, control.reply, control);
  const organization = shown(probe.target, reply, control);
  const requested = reply.exchange.request.url.toLowerCase();
  const inControl = textsIn(control.reply.json());
  const texts = [...textsIn(reply.json())].filter(
    (text) => isLong(text) && inControl.has(text) && !requested.includes(text.toLowerCase()),
  );
  const isSame = known === undefined ? texts.length > 0 : organization === known;
  return isSame || (reply.hasBody && reply.body === control.reply.body)
    ? { body: reply.body, organization, texts: new Set(texts) }
    : undefined;
}

/** Whether a request was let in and got what the good one got: the same body, organization or most of the texts. */
export function isServedAlike(
  probe: Probe,
  { reply, control }: Attempt,
  good: GoodAnswer,
): boolean {
  if (reception(reply) !== "accepted" || !reply.hasBody) return false;
  if (reply.body === good.body) return true;
  if (good.organization !== undefined) {
    return shown(probe.target, reply, control) === good.organization;
  }
  const texts = textsIn(reply.json());
  const common = [...good.texts].filter((text) => texts.has(text));
  return common.length * 2 > good.texts.size;
}

/** The organization that the answer to a view shows. Other operations show changes, or several organizations. */
function shown(
  { operations }: Facts,
  reply: Reply,
  { operation }: Attempt["control"],
): string | undefined {
  if (operation.id !== "viewOrganization") return undefined;
  const pointer = operations.viewOrganization?.organization;
  return organizationId(pointer === undefined ? reply.json() : atPointer(reply.json(), pointer));
}
