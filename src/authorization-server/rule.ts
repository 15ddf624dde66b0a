import type { Scope } from "../contract/operations.ts";
import type { Finding } from "../probe/finding.ts";
import type { RuleCase } from "../probe/rule-case.ts";
import { defineRule, type Rule } from "../probe/rule.ts";
import type { AuthorizationServer, Client, Flow } from "../profile/authorization-server.ts";
import type { Need } from "../profile/need.ts";
import type { Target } from "../profile/target.ts";
import type { ServerProbe } from "./probe.ts";

/** One case at the authorization server. */
export interface ServerCase extends RuleCase {
  /** The client that it is about. By convention it is part of the id, `<what>@<client>`. */
  readonly client?: string | undefined;
}

/** A case that judges itself; see `defineServerRuleOfCases`. */
export interface JudgedServerCase extends ServerCase {
  /** Runs it. */
  readonly judge: (probe: ServerProbe) => Promise<Finding>;
}

/** Judges one case about a client. */
export type JudgeClient = (probe: ServerProbe, client: Client) => Promise<Finding>;

/** A case that `forEach` makes for each client, without the name of the client. */
export interface ClientCase extends Omit<ServerCase, "client"> {
  readonly judge: JudgeClient;
}

/** A rule about the authorization server, before `defineServerRule`. */
export interface ServerRule<C extends ServerCase> extends Omit<
  Rule<C>,
  "cases" | "probe" | "side"
> {
  /** The cases for a server; empty where it does not offer what they test. */
  cases(server: AuthorizationServer, target: Target): readonly C[];
  probe(probe: ServerProbe, testCase: C): Promise<Finding>;
}

/** The need of a case whose request the server must refuse. */
export const CONSENT_TO_PROBES: readonly Need[] = ["authorizationServer.probes"];

/** Makes a rule about the authorization server usable beside the receiver's rules. */
export function defineServerRule<const C extends ServerCase>(rule: ServerRule<C>): Rule {
  return defineRule({
    ...rule,
    side: "authorization-server",
    cases(target): readonly ServerCase[] {
      const { authorizationServer: server } = target;
      if (!server) return [none("the profile names no authorizationServer")];
      const cases = rule.cases(server, target);
      return cases.length > 0 ? cases : [none("the profile names no client for this rule")];
    },
    probe: (probe, testCase) => rule.probe(probe as unknown as ServerProbe, testCase as C),
  });
}

/** Defines a rule about the authorization server whose cases judge themselves. */
export function defineServerRuleOfCases(rule: Omit<ServerRule<JudgedServerCase>, "probe">): Rule {
  return defineServerRule<JudgedServerCase>({
    ...rule,
    probe: (probe, testCase) => testCase.judge(probe),
  });
}

function none(reason: string): ServerCase {
  return { id: "none", inapplicable: reason, placeholder: true };
}

/** The clients that are registered for a flow. */
export function clientsOf({ clients }: AuthorizationServer, flow: Flow): readonly Client[] {
  return clients.filter((client) => client.flow === flow);
}

/**
 * A client of the same flow with another `client_id`. A profile may name one client several times,
 * with other parameters or for another flow.
 */
export function otherClientThan(
  server: AuthorizationServer,
  { id, flow }: Client,
): Client | undefined {
  return clientsOf(server, flow).find((other) => other.id !== id);
}

/** The contract's scopes that a client is registered for, in all its entries in the profile. */
export function registeredScopes(
  { clients }: AuthorizationServer,
  { id }: Client,
): ReadonlySet<Scope> {
  return new Set(clients.filter((one) => one.id === id).flatMap(({ scopes }) => scopes));
}

/** The client that a case is about. Throws TypeError where the server does not have it. */
export function clientOf({ clients }: AuthorizationServer, { client: name }: ServerCase): Client {
  const found = clients.find((client) => client.name === name);
  if (!found) throw new TypeError(`there is no client ${name}`);
  return found;
}

/** One case for each client, `<id>@<client>`. Its `judge`, if it has one, gets the client. */
export function forEach(clients: readonly Client[], what: ClientCase): JudgedServerCase[];
export function forEach<C extends Omit<ServerCase, "client">>(
  clients: readonly Client[],
  what: C,
): (C & { client: string })[];
export function forEach(
  clients: readonly Client[],
  what: Omit<ServerCase, "client"> & { readonly judge?: JudgeClient },
): ServerCase[] {
  const { judge, ...rest } = what;
  return clients.map((client) => ({
    ...rest,
    id: `${what.id}@${client.name}`,
    client: client.name,
    ...(judge && { judge: (probe: ServerProbe) => judge(probe, client) }),
  }));
}
