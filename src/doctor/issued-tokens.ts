import { authorizationServerSide } from "../authorization-server/index.ts";
import type { IssuedTokenSource, SideContext } from "../engine/side.ts";
import type { Target } from "../profile/target.ts";
import {
  acceptedOperations,
  type Bench,
  blockingFault,
  broken,
  type Check,
  ok,
  unknown,
  waiting,
} from "./check.ts";

export interface DoctorTokens extends IssuedTokenSource {
  readonly requests: number;
  close(): Promise<void>;
}

/**
 * Opens the source of good tokens when they are issued. Only clients that need no person's consent are used.
 * @returns `undefined` where the profile's test issuer signs them; otherwise a source that must be closed
 */
export function openTokens(target: Target, http: SideContext["http"]): DoctorTokens | undefined {
  const { authorizationServer: server, issued } = target;
  if (!issued) return undefined;
  const silent = server && {
    ...server,
    clients: server.clients.filter(({ flow }) => flow === "client_credentials"),
  };
  const side = authorizationServerSide()({
    target: { ...target, authorizationServer: silent },
    http,
    receiver() {
      throw new TypeError("no case of the authorization server is run");
    },
  });
  if (!side?.tokens) return undefined;
  const { tokens } = side;
  return {
    ...tokens,
    // Which tokens there are does not depend on whether they are new.
    draft: ({ wish, ...request }) =>
      tokens.draft(wish ? { ...request, wish: { ...wish, fresh: undefined } } : request),
    get requests() {
      return side.requests;
    },
    close: () => side.close(),
  };
}

/** The id of the check whether an issued token is accepted. */
export const ISSUED_CHECK = "token.issued";

/** Checks whether issued tokens are accepted, and which kinds of them. */
export async function issuedTokenChecks(bench: Bench): Promise<Check[]> {
  const { target, setup, session, controls } = bench;
  const line = { id: ISSUED_CHECK, title: "Issued tokens" };
  const clients = target.authorizationServer?.clients ?? [];
  if (!target.issued?.command && clients.every(({ flow }) => flow === "authorization_code")) {
    return [unknown(line, "every client needs a person's consent, which doctor does not ask for")];
  }
  const fault = blockingFault(setup);
  if (fault) {
    const isAbout = fault.check === "token" || fault.check === "audience";
    return [isAbout ? broken(line, fault) : waiting(line, fault)];
  }
  const [accepted] = acceptedOperations(bench);
  if (accepted === undefined) {
    return [unknown(line, "no read operation is offered for which a client gets a token")];
  }
  const kinds = await Promise.all(
    [true, false].map(async (bound) => {
      const found = await controls.get(accepted, { bound });
      return "control" in found ? [bound ? "bound" : "unbound"] : [];
    }),
  );
  const { url, key } = session.target.testIssuer;
  const detail = `${kinds.flat().join(" and ")} tokens of ${url}, signed with ${key.alg}, are accepted`;
  return [ok(line, detail)];
}
