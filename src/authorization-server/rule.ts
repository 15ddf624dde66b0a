import type { Scope } from "../contract/operations.ts";
import type { Finding } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import type { AnyCase, ServerCaseData } from "../probe/rule.ts";
import {
  type AuthorizationServer,
  type Client,
  type Flow,
  isUnattended,
} from "../profile/authorization-server.ts";
import type { Facts } from "../profile/facts.ts";
import type { Need } from "../profile/need.ts";
import type { ServerProbe } from "./probe.ts";

export type ServerCase = ServerCaseData & Pick<AnyCase<ServerProbe>, "judge">;

export type JudgeClient = (probe: ServerProbe, client: Client) => Promise<Finding>;

/** What the cases of several clients have in common; see `forEach`. */
export interface ClientCase extends Omit<ServerCaseData, "client"> {
  /** The clients that it applies to. Default: each. */
  readonly appliesTo?: (client: Client) => boolean;
  readonly judge: JudgeClient;
}

/** The need of a case whose request the server must refuse. */
export const CONSENT_TO_PROBES: readonly Need[] = ["authorizationServer.probes"];

/** What the cases have in common whose request for a code, or with one, must be refused. */
export const REFUSED: { readonly needs: readonly Need[]; readonly consents: 1 } = {
  needs: CONSENT_TO_PROBES,
  consents: 1,
};

/**
 * The cases of a rule about the authorization server, or the one that says why there are none.
 * @param of.flow the flow of the clients that the rule is about; default: any
 * @param of.endpoint the endpoint of the cases that name no other; default: none
 * @param casesOf the cases for a server; empty where it does not offer what they test
 */
export function ofServer(
  { flow, endpoint }: { readonly flow?: Flow; readonly endpoint?: string },
  casesOf: (server: AuthorizationServer, facts: Facts) => readonly ServerCase[],
): (facts: Facts) => readonly ServerCase[] {
  return (facts) => {
    const { authorizationServer: server } = facts;
    if (!server) return [none("the profile names no `authorizationServer`")];
    const cases = casesOf(server, facts).map((one): ServerCase => ({ endpoint, ...one }));
    if (cases.length > 0) return cases;
    return [
      none(`the profile names no client ${flow ? `with the flow ${flow}` : "for this rule"}`),
    ];
  };
}

function none(reason: string): ServerCase {
  return {
    id: "none",
    inapplicable: reason,
    judge: () => Promise.resolve({ kind: "not-applicable", reason: phrase`${reason}` }),
  };
}

export function clientsOf({ clients }: AuthorizationServer, flow: Flow): readonly Client[] {
  return clients.filter((client) => client.flow === flow);
}

/**
 * The clients for cases that cost a consent each: the first one of the code flow, and the first one that differs
 * from it in whether it authenticates, because servers check these two kinds in different code. The second one only
 * if no person has to give its consent.
 */
export function codeClients(server: AuthorizationServer): readonly Client[] {
  const [first, ...others] = clientsOf(server, "authorization_code");
  if (!first) return [];
  const other = others.find((one) => isPublic(one) !== isPublic(first) && isUnattended(one));
  return other ? [first, other] : [first];
}

/**
 * The clients for the cases whose outcome depends on how one client is configured: those of `codeClients`, and every
 * further one if no person has to give its consent.
 */
export function everyCodeClient(server: AuthorizationServer): readonly Client[] {
  const [first, ...others] = clientsOf(server, "authorization_code");
  return first ? [first, ...others.filter(isUnattended)] : [];
}

function isPublic({ authentication }: Client): boolean {
  return authentication === "none";
}

/**
 * The clients of the same flow with another `client_id`: the first one, and the first one that differs from it in
 * whether it authenticates. A profile may name one client several times, with other parameters or for another flow.
 */
export function otherClientsThan(
  server: AuthorizationServer,
  { id, flow }: Client,
): readonly Client[] {
  const others = clientsOf(server, flow).filter((other) => other.id !== id);
  const [first] = others;
  const second = others.find((other) => first && isPublic(other) !== isPublic(first));
  return [first, second].filter((other) => other !== undefined);
}

/** The contract's scopes that a client is registered for, in all its entries in the profile. */
export function registeredScopes(
  { clients }: AuthorizationServer,
  { id }: Client,
): ReadonlySet<Scope> {
  return new Set(clients.filter((one) => one.id === id).flatMap(({ scopes }) => scopes));
}

/**
 * One case for each client, `<id>@<client>`, in the order of the clients.
 * @param one the case, or how it is made for a client
 */
export function forEach(
  clients: readonly Client[],
  one: ClientCase | ((client: Client) => ClientCase),
): ServerCase[] {
  return clients.flatMap((client) => {
    const { id, judge, appliesTo, ...more } = typeof one === "function" ? one(client) : one;
    if (appliesTo?.(client) === false) return [];
    return {
      ...more,
      id: `${id}@${client.name}`,
      client: client.name,
      judge: (probe: ServerProbe) => judge(probe, client),
    };
  });
}
