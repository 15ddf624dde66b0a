import type { Scope } from "../contract/operations.ts";
import type { AuthorizationServer, Client } from "../profile/authorization-server.ts";
import type { Facts } from "../profile/facts.ts";

/** A token to request from an issuer. */
export interface AskedToken {
  readonly scopes: readonly Scope[];
  /** Whether a token with more scopes is no use. */
  readonly exact: boolean;
  /** The organization it must be bound to; `null`: unbound. */
  readonly organization: string | null;
  /** Whether it must belong to the denied subject. */
  readonly denied: boolean;
  /** Whether it must be a new token, where client credentials can give one. */
  readonly fresh?: true | undefined;
}

/** A token to request, before a run, when its organization may be unknown. `undefined`: bound or unbound. */
export type PlannedToken = Omit<AskedToken, "organization"> & {
  readonly organization: string | null | undefined;
};

/**
 * The clients of the authorization server that can get a token, best first: clients that need no
 * consent come first, then clients that can get most other tokens too. Tokens then come from the same
 * client and differ only in what was asked for.
 */
export function clientsFor(facts: Facts, asked: PlannedToken): Client[] {
  const { authorizationServer: server } = facts;
  if (!server) return [];
  const { scopes } = sift(facts, server, asked);
  return scopes.toSorted((a, b) => rank(a) - rank(b) || size(server, a) - size(server, b));
}

/** What no client has that could get a token: the subject, beside it the organization, or beside both the scopes. */
export type ClientLack = "subject" | "organization" | "scopes";

/** Why no client can get a token; `undefined` where one can. */
export function clientLack(facts: Facts, asked: PlannedToken): ClientLack | undefined {
  const { authorizationServer: server } = facts;
  if (!server) return "subject";
  const left = sift(facts, server, asked);
  return (["subject", "organization", "scopes"] as const).find((what) => left[what].length === 0);
}

/** The clients with the subject, of these those with the organization, and of these those with the scopes. */
function sift(
  facts: Facts,
  server: AuthorizationServer,
  asked: PlannedToken,
): Readonly<Record<ClientLack, readonly Client[]>> {
  const subject = server.clients.filter((one) => isDeniedClient(facts, one) === asked.denied);
  const organization = subject.filter((one) => isBound(one.organization, asked.organization));
  const scopes = organization.filter((one) => canGet(server, one, asked));
  return { subject, organization, scopes };
}

function rank({ flow }: Client): number {
  return flow === "client_credentials" ? 0 : 1;
}

/** Where scopes cannot be narrowed, the client with the fewest scopes gives the closest token. */
function size({ narrowing }: AuthorizationServer, { scopes }: Client): number {
  return narrowing ? -scopes.length : scopes.length;
}

/** Whether good tokens come from clients each of which has a `sub` of its own. */
export function hasSubjectsOfClients({ authorizationServer, issued }: Facts): boolean {
  return issued !== undefined && !issued.command && authorizationServer?.subjects === "client";
}

/** Whether the denied subject differs from the subject of good tokens. */
export function deniesAnotherSubject({ denied, subject }: Facts): boolean {
  return denied !== undefined && (denied.client !== undefined || denied.subject !== subject);
}

/** Whether a client's tokens belong to the denied subject. */
export function isDeniedClient(facts: Facts, client: Client): boolean {
  if (!facts.denied || !deniesAnotherSubject(facts)) return false;
  const { client: name, subject } = facts.denied;
  // Another client of its subject gets the other kind of tokens: bound ones, or unbound ones.
  return client.subject === subject || (name !== undefined && client.name === name);
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
 * Whether most tokens should be bound to the primary organization: the clients for bound tokens need
 * less consent, or can get more scopes, than the clients for unbound tokens.
 */
export function prefersBound(facts: Facts): boolean {
  const { authorizationServer, bindingClaim, organizations, issued } = facts;
  if (bindingClaim === undefined) return false;
  if (!authorizationServer || !issued || issued.command) return true;
  const best = (organization: string | null): Client | undefined =>
    clientsFor(facts, { scopes: [], exact: false, organization, denied: false }).toSorted(
      (a, b) => rank(a) - rank(b) || b.scopes.length - a.scopes.length,
    )[0];
  const bound = organizations.primary === undefined ? undefined : best(organizations.primary);
  const unbound = best(null);
  if (!bound || !unbound) return bound !== undefined;
  return (rank(bound) - rank(unbound) || unbound.scopes.length - bound.scopes.length) < 0;
}
