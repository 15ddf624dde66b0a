import { join } from "node:path";

import { authorizationServerSide } from "../../../authorization-server/side.ts";
import { OPERATION_IDS, type OperationId } from "../../../contract/operations.ts";
import { withDocument } from "../../../document/with-document.ts";
import { type Plan, planRun } from "../../../engine/plan.ts";
import { run } from "../../../engine/run.ts";
import type { Exchange } from "../../../http/exchange.ts";
import { PUBLIC_FILE } from "../../../keys/jwks-file.ts";
import type { Rule } from "../../../probe/rule.ts";
import type { Client } from "../../../profile/authorization-server.ts";
import { BUNDLED_KEYS } from "../../../profile/bundled-keys.ts";
import { profileFromObject } from "../../../profile/load.ts";
import { resolveTarget } from "../../../profile/resolve.ts";
import type { Target } from "../../../profile/target.ts";
import { consentsHere } from "../../embedded-consent.ts";

/** The reference receiver shows at once what is written. */
const PATIENCE_MS = 100;
/** Keys of an operation's profile of which the deployment's own may lack some. */
const TOLD = ["contentType", "body", "invalidBody", "paginated", "changeId"] as const;

/** A request of a rehearsal. */
export interface Rehearsed {
  readonly method: string;
  /** The operation whose route it was sent to; `undefined` for another route of the receiver. */
  readonly operation?: OperationId | undefined;
  /** Whether it went to the authorization server. */
  readonly toServer: boolean;
}

/**
 * Finds out what a run would send: it runs the cases of a plan against the embedded reference receiver, which is told as
 * much as the profile tells. Sends nothing to the target.
 * @param plan the plan for `target`
 * @returns the requests, in the order in which they were answered
 */
export async function rehearse(
  target: Target,
  rules: readonly Rule[],
  plan: Plan,
): Promise<Rehearsed[]> {
  const sending = plan.cases.filter(({ settled }) => !settled).map(({ caseId }) => caseId);
  if (sending.length === 0) return [];
  const { startReference } = await import("../../../reference/index.ts");
  const reference = await startReference({
    jwks: join(BUNDLED_KEYS, PUBLIC_FILE),
    variants: target.operations.submitChange?.paginated ? ["submit-paginated"] : [],
    authorizationServer: target.issued ? "alone" : target.authorizationServer !== undefined,
  });
  try {
    const whole = resolveTarget({ profile: profileFromObject(reference.profile) });
    const like = likeDeployment(consentsHere(whole), target);
    const stand = await withDocument(like, { trusted: true });
    const known = new Set(planRun(stand, rules, []).cases.map(({ caseId }) => caseId));
    const names = sending.filter((caseId) => known.has(caseId));
    if (names.length === 0) return [];
    const exchanges: Exchange[] = [];
    await run({
      target: stand,
      rules,
      sides: [authorizationServerSide()],
      only: { names, what: "the plan" },
      seed: 0,
      patienceMs: PATIENCE_MS,
      emit(event) {
        if (event.type === "exchange") exchanges.push(event.exchange);
      },
    });
    return exchanges
      .map(({ request: { method, url }, operation }) => ({
        method,
        operation,
        toServer: new URL(url).origin !== whole.origin,
      }))
      .filter(({ toServer }) => !toServer || target.authorizationServer !== undefined);
  } finally {
    await reference.close();
  }
}

/** The target of the reference receiver, without what is not known of the deployment. */
function likeDeployment(reference: Target, target: Target): Target {
  const { bindingClaim, organizations, denied, issued, openapi, authorizationServer } = target;
  const { primary, other } = organizations;
  const own = reference.authorizationServer;
  const operations = OPERATION_IDS.map((id) => {
    const [told, known] = [target.operations[id], reference.operations[id]];
    const lacking = TOLD.filter((key) => told?.[key] === undefined);
    return [
      id,
      told && { ...known, ...Object.fromEntries(lacking.map((key) => [key, undefined])) },
    ];
  });
  return {
    ...reference,
    bindingClaim: bindingClaim && reference.bindingClaim,
    testIssuer: {
      ...reference.testIssuer,
      algorithms: reference.testIssuer.algorithms.filter((algorithm) =>
        target.testIssuer.algorithms.includes(algorithm),
      ),
    },
    issued: issued && { leavesOutTestIssuer: issued.leavesOutTestIssuer },
    organizations: {
      primary: primary && reference.organizations.primary,
      other: other && reference.organizations.other,
    },
    denied: denied && reference.denied && { ...reference.denied, operations: denied.operations },
    consent: target.consent,
    readOnly: target.readOnly,
    writes: target.writes,
    openapi: openapi && reference.openapi,
    operations: Object.fromEntries(operations) as Target["operations"],
    authorizationServer:
      authorizationServer && own
        ? {
            ...own,
            probes: authorizationServer.probes,
            narrowing: authorizationServer.narrowing,
            subjects: authorizationServer.subjects,
            clients: authorizationServer.clients.flatMap((client) => {
              const traits = traitsOf(client, target);
              const alike = (one: Client): number =>
                traitsOf(one, reference).filter((trait, at) => trait === traits[at]).length;
              const [like] = own.clients
                .filter(({ flow }) => flow === client.flow)
                .toSorted((one, another) => alike(another) - alike(one));
              return like ? [{ ...like, name: client.name }] : [];
            }),
          }
        : own,
  };
}

/** What the tokens of a client are like, as far as cases depend on it. */
function traitsOf(
  { flow, organization, subject, scopes }: Client,
  { organizations: { primary }, subject: usual }: Target,
): readonly unknown[] {
  const bound =
    organization === undefined ? "none" : organization === primary ? "primary" : "other";
  return [flow, bound, subject === undefined || subject === usual, scopes.toSorted().join(" ")];
}
