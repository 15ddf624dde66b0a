import {
  connect,
  type Connection,
  createIssuedTokens,
  type IssuedTokens,
  runTokenCommand,
} from "../authorization-server/index.ts";
import { type OperationId, OPERATIONS } from "../contract/operations.ts";
import type { Secrets } from "../http/recording/secrets.ts";
import { SuiteError } from "../lib/errors.ts";
import type { Client } from "../profile/authorization-server.ts";
import type { Target } from "../profile/target.ts";
import { printable } from "../report/untrusted.ts";

/** The commands that a profile names, as words. */
export function commandsOf({ issued, authorizationServer }: Target): (readonly string[])[] {
  const consents = authorizationServer?.clients.flatMap(commandsFor) ?? [];
  const all = [...(issued?.command ? [issued.command.argv] : []), ...consents];
  return [...new Map(all.map((words) => [words.join("\0"), words])).values()];
}

/** The commands by which a client gets consent, or has it refused. */
function commandsFor({ consent, refusal }: Client): (readonly string[])[] {
  return [consent, refusal].flatMap((one) =>
    Array.isArray(one) ? [one as readonly string[]] : [],
  );
}

/** Asks for tokens that others issue. */
export interface Issuers {
  /** The names that a token can be asked by. */
  readonly names: readonly string[];
  /** The commands that asking by this name runs. */
  commandsFor(name: string): readonly (readonly string[])[];
  /**
   * A current token.
   * @throws SuiteError when there is none
   */
  tokenOf(name: string, operation: OperationId): Promise<string>;
  close(): Promise<void>;
}

export interface IssuersOptions {
  /** What is learned here must not be shown. */
  readonly secrets: Secrets;
  readonly signal: AbortSignal;
  /** Tells that a person has to give consent. */
  readonly onConsent: (client: Client, count: number, refuse: boolean) => void;
}

/**
 * The issuers of a profile. Nothing is asked before the first token.
 * @param command the name that stands for the command of the profile
 */
export function createIssuers(target: Target, command: string, options: IssuersOptions): Issuers {
  const { authorizationServer: server, issued, request, untrusted } = target;
  const clients = server?.clients ?? [];
  let opened: { readonly connection: Connection; readonly tokens: IssuedTokens } | undefined;
  const open = (): typeof opened => {
    if (opened || !server) return opened;
    const { timeoutMs, ca } = request;
    const connection = connect(server, { ...options, timeoutMs, ca, untrusted });
    return (opened = { connection, tokens: createIssuedTokens(connection) });
  };

  async function fromCommand(id: OperationId): Promise<string> {
    if (!issued?.command) throw none("The profile has no command for tokens");
    const { scope, organization: isBelow } = OPERATIONS[id];
    const organization = (isBelow ? target.organizations.primary : undefined) ?? null;
    const asked = { scopes: [scope], organization, subject: target.subject };
    const got = await runTokenCommand(issued.command, asked, { signal: options.signal });
    if ("failed" in got) throw none(got.failed);
    return got.token;
  }

  return {
    names: [...(issued?.command ? [command] : []), ...clients.map(({ name }) => name)],
    commandsFor(name) {
      if (name === command) return issued?.command ? [issued.command.argv] : [];
      return clients.filter((one) => one.name === name).flatMap(commandsFor);
    },
    async tokenOf(name, id) {
      if (name === command) return fromCommand(id);
      const client = clients.find((one) => one.name === name);
      const source = open();
      if (!client || !source) throw none(`The profile names no client ${printable(name, 100)}`);
      const got = await source.tokens.get(client);
      if ("failed" in got) throw none(got.failed);
      return got.token;
    },
    async close() {
      await opened?.connection.close();
    },
  };
}

function none(why: string): SuiteError {
  return new SuiteError("ERR_TOKEN", `There is no such token: ${printable(why)}`, {
    hint: "Check that the profile describes the client as it is registered.",
  });
}
