import { type OperationId, OPERATIONS } from "../contract/operations.ts";
import { buildRequest, seededUuid } from "../probe/request.ts";
import type { Target } from "../profile/target.ts";
import { draftToken, type TokenForm } from "../tokens/draft.ts";
import { OF_PROFILE } from "../tokens/edited.ts";
import type { Edited, Start } from "./api.ts";
import type { Seen } from "./contract.ts";
import { COMMAND, relativeClaims, TOKEN } from "./start.ts";

/** Removes what is secret from a text. */
export type Redact = (text: string) => string;

/**
 * The good request for an operation, to edit.
 * @param change the change in its path; default: that of the profile, or one that was read
 * @throws TypeError never; an operation that is not offered gets the path of the contract
 */
export function goodRequest(
  target: Target,
  id: OperationId,
  seen: Seen,
  redact: Redact,
  change?: string,
): Start {
  const operation = OPERATIONS[id];
  const lacks: string[] = [];
  const organization = target.organizations.primary;
  const changeId =
    change ?? target.operations.readChange?.changeId ?? readChanges(seen, organization)[0];
  if (operation.organization && organization === undefined) {
    lacks.push("No organization is known: put the id of one into the path.");
  }
  if (operation.change && changeId === undefined) {
    lacks.push("No change is known: put the id of one into the path.");
  }
  const place = {
    organization: organization ?? seededUuid(0, "organization"),
    changeId: changeId ?? seededUuid(0, "change"),
  };
  const { spec, unique } = buildRequest(target, operation, place);
  const marked = (text: string): string =>
    unique === undefined ? text : text.replaceAll(unique, () => "${unique}");
  const shown = (text: string, what: string): string => {
    const clean = redact(text);
    if (clean !== text) lacks.push(`${what} has a secret of the profile, which is not shown.`);
    return marked(clean);
  };
  return {
    lacks,
    edited: {
      method: spec.method,
      path: spec.path,
      headers: [
        ...spec.headers.map(
          ([name, value]) => [name, shown(value, `The header field ${name}`)] as const,
        ),
        ["authorization", `Bearer ${TOKEN}`],
      ],
      ...(spec.body !== undefined && { body: shown(spec.body, "The body") }),
      credential: credentialFor(target, id, seen, redact),
    },
  };
}

/** The ids of the changes of an organization that were read. */
export function readChanges({ changes }: Seen, organization: string | undefined): string[] {
  const own = [...changes].map((one) => one.split(" ", 2));
  return own.flatMap(([of, id = ""]) => (of === organization ? [unescaped(id)] : []));
}

/** A segment of a path as the id that it stands for. */
function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function credentialFor(
  target: Target,
  id: OperationId,
  { typs }: Seen,
  redact: Redact,
): Edited["credential"] {
  const operation = OPERATIONS[id];
  if (target.issued) {
    const clients = target.authorizationServer?.clients ?? [];
    const client = clients.find(({ scopes }) => scopes.includes(operation.scope)) ?? clients[0];
    return { kind: "client", name: client?.name ?? COMMAND };
  }
  const nowMs = Date.now();
  const known = [...typs];
  const typ = (known.length === 0 || typs.has("JWT") ? "JWT" : known[0]) as TokenForm["typ"];
  const form: TokenForm = {
    typ,
    bound: operation.organization,
    scopes: "required",
    clockOffsetSeconds: 0,
    atMs: nowMs,
  };
  const { header, claims } = draftToken(target, operation, form, target.organizations.primary);
  const hidden = (object: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => {
        const text = JSON.stringify(value) ?? "";
        return [name, redact(text) === text ? (value as unknown) : OF_PROFILE];
      }),
    );
  return {
    kind: "sign",
    key: "issuer",
    header: hidden(header),
    claims: hidden(relativeClaims(claims, nowMs / 1000)),
  };
}
