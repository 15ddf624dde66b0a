import { OPERATIONS } from "../contract/operations.ts";
import type { OpenSide, SideContext, SideRun } from "../engine/side.ts";
import { present } from "../probe/compose.ts";
import { decodeToken, noteToken } from "../probe/difference/difference.ts";
import { endCase, Finding, notProvisioned } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import { buildRequest, type PathParams } from "../probe/request.ts";
import type { Target } from "../profile/target.ts";
import { createServerProbe, type ServerSession } from "./probe.ts";
import { connect, type Connection } from "./protocol/connection.ts";
import type { ConsentsOptions } from "./protocol/consents.ts";
import { readKeySet } from "./protocol/key-set.ts";
import { createIssuedTokens, type IssuedToken, type IssuedTokens } from "./tokens/issued.ts";
import { issuedTokenSource } from "./tokens/token-source.ts";
import { clientSupply, commandSupply } from "./tokens/token-supply.ts";

export type ServerSideOptions = Pick<ConsentsOptions, "onConsent">;

/** The authorization server as a side of a run; `undefined` where the profile has none. */
export function authorizationServerSide(
  options: ServerSideOptions = {},
): (context: SideContext) => OpenSide | undefined {
  return (context) => open(context, options);
}

function open(context: SideContext, options: ServerSideOptions): OpenSide | undefined {
  const { target, http } = context;
  const { authorizationServer: server, issued } = target;
  if (!server) {
    if (!issued?.command) return undefined;
    const tokens = issuedTokenSource(target, commandSupply(target, issued.command, http));
    return { tokens, requests: 0, unwaited: 0, close: () => Promise.resolve() };
  }
  const { timeoutMs, ca } = target.request;
  const { untrusted } = target;
  const connection = connect(server, {
    ...http,
    timeoutMs,
    ca,
    untrusted,
    onConsent: options.onConsent,
  });
  const tokens = createIssuedTokens(connection);
  const supply = issued?.command
    ? commandSupply(target, issued.command, http)
    : clientSupply(target, server, tokens);
  return {
    run: serverRun(context, connection, tokens),
    ...(issued && {
      tokens: issuedTokenSource(target, supply, () => readKeySet(connection, "tokens/keys")),
    }),
    get requests() {
      return connection.origins.requests;
    },
    get unwaited() {
      return connection.origins.unwaited;
    },
    close: () => connection.close(),
  };
}

function serverRun(
  { target, receiver }: SideContext,
  connection: Connection,
  tokens: IssuedTokens,
): SideRun<IssuedToken> {
  const session: ServerSession = {
    target,
    connection,
    tokens,
    wait: (ms) => receiver().session.wait(ms),
    found: new Map(),
    present: presentTo(target, receiver),
  };
  return {
    side: "authorization-server",
    sequential: true,
    createProbe: ({ caseId }) => createServerProbe(session, caseId),
    nameOf: ({ client }) => `the client ${client.name}`,
    repeat: (control, label) => tokens.repeat(control, label),
  };
}

/** Sends the receiver's good requests with issued tokens. */
export function presentTo(
  target: Target,
  receiver: SideContext["receiver"],
): ServerSession["present"] {
  return async (name, token, id, { wanted = true } = {}) => {
    const operation = OPERATIONS[id];
    const { controls, session: shown } = receiver();
    const found = await controls.get(id);
    const place: PathParams = "control" in found ? found.control.place : {};
    const organization =
      token.client.organization ?? place.organization ?? target.organizations.primary;
    if (operation.change && organization !== place.organization) {
      return endCase(Finding.notApplicable(phrase`no change of its organization is known`));
    }
    if (operation.organization && organization === undefined) {
      return endCase(notProvisioned("organizations.primary"));
    }
    if (operation.change && place.changeId === undefined) {
      return endCase(notProvisioned("operations.readChange.changeId"));
    }
    const { spec, unique } = buildRequest(target, operation, {
      ...place,
      ...(operation.organization && { organization }),
    });
    const reply = await shown.send({
      caseId: name,
      operation: id,
      spec: present(spec, [`Bearer ${token.token}`]),
      token: token.token,
      tokenNote: noteToken(decodeToken(token.token)),
      unique,
      organization,
      // The receiver's own cases may have had all writes for their `wanted` ones.
      purpose: wanted ? "further" : "unwanted",
    });
    if (!reply) return endCase(shown.writes.reached(id));
    return {
      reply,
      evidence: {
        probes: [reply.exchange.id],
        controls: "control" in found ? [found.control.exchange] : [token.exchange],
      },
    };
  };
}
