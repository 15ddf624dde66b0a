import type { Scope } from "../contract/operations.ts";
import type { AuthorizationServer, Client } from "../profile/authorization-server.ts";
import type { Target } from "../profile/target.ts";

/** One token as it is asked for where tokens are issued. */
export interface AskedToken {
  readonly scopes: readonly Scope[];
  /** Whether a token with further scopes will not do. */
  readonly exact: boolean;
  /** The organization that it is bound to; `null`: to none. */
  readonly organization: string | null;
  /** It is to be of the denied subject. */
  readonly denied: boolean;
  /** It is not to be one that was kept, where client credentials give another. */
  readonly fresh?: true | undefined;
}

/** The same before a run, when the organization may not be known yet: either will do. */
export type PlannedToken = Omit<AskedToken, "organization"> & {
  readonly organization: string | null | undefined;
};

/**
 * The clients of the authorization server that may get a token: those that need no consent first, and of
 * them those that can get most others too, so that tokens differ in what is asked for and in nothing else.
 */
export function clientsFor(target: Target, asked: PlannedToken): Client[] {
  const { authorizationServer: server } = target;
  if (!server) return [];
  return server.clients
    .filter((client) => isDeniedClient(target, client) === asked.denied)
    .filter(({ organization }) => isBound(organization, asked.organization))
    .filter((client) => canGet(server, client, asked))
    .toSorted((a, b) => rank(a) - rank(b) || size(server, a) - size(server, b));
}

function rank({ flow }: Client): number {
  return flow === "client_credentials" ? 0 : 1;
}

/** Where nothing can be asked for narrowly, the fewest scopes are the nearest to what is wanted. */
function size({ narrowing }: AuthorizationServer, { scopes }: Client): number {
  return narrowing ? -scopes.length : scopes.length;
}

/** Whether what is denied is denied to another subject than that of all good tokens. */
export function deniesAnotherSubject({ denied, subject }: Target): boolean {
  return denied !== undefined && (denied.client !== undefined || denied.subject !== subject);
}

/** Whether the tokens of a client are of the denied subject. */
export function isDeniedClient(target: Target, client: Client): boolean {
  if (!target.denied || !deniesAnotherSubject(target)) return false;
  const { client: name, subject } = target.denied;
  return name === undefined ? client.subject === subject : client.name === name;
}

function isBound(own: string | undefined, wanted: string | null | undefined): boolean {
  return wanted === undefined || (own?.toLowerCase() ?? null) === (wanted?.toLowerCase() ?? null);
}

function canGet(
  { narrowing }: AuthorizationServer,
  client: Client,
  { scopes, exact }: PlannedToken,
): boolean {
  const hasAll = scopes.every((scope) => client.scopes.includes(scope));
  return hasAll && (narrowing || !exact || client.scopes.length === scopes.length);
}

/**
 * Whether most tokens are best had bound to the primary organization: the clients that get those need
 * consent less, or can get more scopes, than those whose tokens are not bound and so serve anywhere.
 */
export function prefersBound(target: Target): boolean {
  const { authorizationServer, bindingClaim, organizations, issued } = target;
  if (bindingClaim === undefined) return false;
  if (!authorizationServer || !issued || issued.command) return true;
  const best = (organization: string | null): Client | undefined =>
    clientsFor(target, { scopes: [], exact: false, organization, denied: false }).toSorted(
      (a, b) => rank(a) - rank(b) || b.scopes.length - a.scopes.length,
    )[0];
  const bound = organizations.primary === undefined ? undefined : best(organizations.primary);
  const unbound = best(null);
  if (!bound || !unbound) return bound !== undefined;
  return (rank(bound) - rank(unbound) || unbound.scopes.length - bound.scopes.length) < 0;
}
