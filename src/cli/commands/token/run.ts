import { checkNumber } from "../../../contract/checks.ts";
import { OPERATION_IDS, OPERATIONS, type OperationId } from "../../../contract/operations.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { itemIf } from "../../../lib/group-by.ts";
import { counted } from "../../../lib/words.ts";
import { mutatesToken } from "../../../mutations/mint.ts";
import { type MutationContext, unchanged } from "../../../mutations/mutation.ts";
import { type ComposedRequest, composeRequest } from "../../../probe/compose.ts";
import type { Difference } from "../../../probe/difference/difference.ts";
import { refuseBundledKeys } from "../../../profile/issuer-keys.ts";
import { unmetNeeds } from "../../../profile/need.ts";
import type { Target } from "../../../profile/target.ts";
import { createPage, type Page, paragraph, table } from "../../../report/layout.ts";
import { differenceTexts } from "../../../report/text/differences.ts";
import { printable } from "../../../report/untrusted.ts";
import type { CommandIo } from "../../io.ts";
import { pick } from "../../pick.ts";
import { DEFAULT_PROFILE } from "../../profile-file.ts";
import { profiledTarget } from "../../run-target.ts";
import { typicalTarget } from "../rules/run.ts";
import type { TokenFlags } from "./flags.ts";
import {
  type NamedMutation,
  namedMutations,
  asCurl,
  contextFor,
  samplePlace,
} from "./sample-request.ts";

const GOOD: NamedMutation = { name: "good", mutation: unchanged, operations: ["viewOrganization"] };
/** Bytes that every terminal and shell passes on. Some mutations contain others. */
const PASSES_A_SHELL = /^[\x20-\x7e]*$/;

export function listMutations(flags: TokenFlags, io: CommandIo): void {
  const all = namedMutations(profiledTarget(flags, io) ?? typicalTarget());
  const made = all.filter(({ mutation }) => mutatesToken(mutation) && !mutation.remote);
  const page = createPage(io.stdout.columns, false);
  const rows = made.map(({ name, mutation }) => [checkOf(mutation), name, mutation.what]);
  const lines = [
    ...table(page, 0, [["check", "mutation", "what differs"], ["", "good", "nothing"], ...rows]),
    "",
    ...paragraph(
      page,
      0,
      `A number is the receiver check that must refuse the token; "open" means that the contract leaves it open. ${counted(all.length - made.length, "more change")} are of the request, or need the suite's own listener: \`rules\` lists them.`,
    ),
  ];
  io.stdout.write(`${lines.join("\n")}\n`);
}

/**
 * Prints one token on stdout, and on stderr how it differs from a good one and how to send it. Sends nothing.
 * @param wanted a mutation as `pick` finds it, the id of a case, or `good`
 * @throws SuiteError when there is no profile, or the token cannot be made for it
 */
export async function printToken(wanted: string, flags: TokenFlags, io: CommandIo): Promise<void> {
  const target = profiledTarget(flags, io);
  if (!target) {
    throw new SuiteError(
      "ERR_PROFILE",
      `A token is for one deployment, but there is no ${DEFAULT_PROFILE} here`,
      { hint: "Name the profile with --profile; `orgsync-conformance token --list` needs none." },
    );
  }
  refuseIssued(target);
  refuseBundledKeys(target, flags.allowBundledKeys ?? false);
  const { chosen, operation: id } = choose(target, wanted, flags);
  const { mutation } = chosen;
  refuseUnmakeable(target, chosen);
  const context = contextFor(target, chosen, id, flags);
  const compose = (): Promise<ComposedRequest> =>
    composeRequest({ context, place: samplePlace(context), mutation });
  if (chosen !== GOOD && !mutatesToken(mutation)) {
    throw new SuiteError(
      "ERR_TOKEN",
      `${chosen.name} does not change the token: ${mutation.what}`,
      {
        hint: mutation.authorization
          ? [
              "Put a good one, `token good`, into TOKEN, and send:",
              ...asCurl(target, await compose()),
            ].join("\n")
          : again(chosen, id),
      },
    );
  }
  const composed = await compose();
  const { token, differences } = composed;
  if (!PASSES_A_SHELL.test(token)) {
    throw new SuiteError(
      "ERR_TOKEN",
      `${chosen.name} contains bytes that a shell does not pass on: ${mutation.what}`,
      { hint: again(chosen, id) },
    );
  }
  io.stdout.write(`${token}\n`);
  const page = createPage(io.stderr.columns, false);
  io.stderr.write(
    `${[...note(page, chosen, context, differences), ...unknownIds(page, context), ...asCurl(target, composed)].join("\n")}\n`,
  );
}

/** Throws when the profile has no test issuer, because only its key can mint a token. */
function refuseIssued({ issued, authorizationServer }: Target): void {
  if (!issued) return;
  const names = authorizationServer?.clients.map(({ name }) => name).join(", ") || "none";
  throw new SuiteError("ERR_TOKEN", "The profile has no test issuer whose key could sign a token", {
    hint: `\`token --client <name>\` shows what a client's token says; authorizationServer.clients has ${names}.`,
  });
}

function choose(
  target: Target,
  wanted: string,
  { operation }: TokenFlags,
): { chosen: NamedMutation; operation: OperationId } {
  const [name = "", ofCase] = wanted.split("@", 2);
  const all = namedMutations(target);
  const names = all.map((one) => one.name);
  const found = name === GOOD.name ? name : pick(names, name, "mutation", "of the rules");
  const chosen = all.find((one) => one.name === found) ?? GOOD;
  const asked = operation ?? ofCase;
  const offered = (id: OperationId): boolean => target.operations[id] !== undefined;
  const own = OPERATION_IDS.filter((id) => chosen.operations.includes(id) && offered(id));
  const usual = own.find((id) => OPERATIONS[id].organization) ?? own[0] ?? "viewOrganization";
  const known =
    asked === undefined ? usual : pick(OPERATION_IDS, asked, "operation", "of the contract");
  return { chosen, operation: known as OperationId };
}

function refuseUnmakeable(target: Target, chosen: NamedMutation): void {
  const { name, mutation, operations } = chosen;
  const missing = unmetNeeds(target, mutation.needs ?? []);
  if (missing.length > 0) {
    throw new SuiteError(
      "ERR_TOKEN",
      `${name} cannot be made: the profile lacks ${missing.join(", ")}`,
    );
  }
  const impossible = mutation.inapplicable?.(target);
  if (impossible !== undefined)
    throw new SuiteError("ERR_TOKEN", `${name} cannot be made: ${impossible}`);
  if (mutation.remote) {
    throw new SuiteError(
      "ERR_TOKEN",
      `${name} points the deployment to the suite's own listener, which exists only during a run`,
      { hint: again(chosen, operations[0] ?? "viewOrganization") },
    );
  }
}

function again({ name }: NamedMutation, operation: OperationId): string {
  return `Send it in a run: orgsync-conformance run --rule '${name}@${operation}'`;
}

function note(
  page: Page,
  { name, mutation }: NamedMutation,
  { target, form, organization, operation }: MutationContext,
  differences: readonly Difference[],
): string[] {
  const binding =
    form.bound && organization !== undefined && target.bindingClaim !== undefined
      ? `bound to ${organization}`
      : "unbound";
  const good = `a token for ${operation.id}, ${binding}, signed with ${target.testIssuer.key.kid}`;
  if (name === GOOD.name) return paragraph(page, 0, `Good: ${good}.`);
  const { refused } = mutation;
  const check = refused && checkNumber(refused.check);
  return [
    ...paragraph(page, 0, `${name}: ${printable(mutation.what)}. Otherwise it is ${good}.`),
    ...differenceTexts(differences).flatMap((line) => paragraph(page, 2, printable(line))),
    ...(refused
      ? paragraph(page, 0, `Receiver check ${check} must refuse it: ${refused.why}.`)
      : []),
  ];
}

/**
 * Says which ids in the URL do not exist. The profile does not name them, and this command sends nothing that
 * could find them.
 */
function unknownIds(page: Page, { operation, organization, target }: MutationContext): string[] {
  const lines = [
    ...itemIf(
      operation.organization && organization === undefined,
      "The organization in the URL does not exist: name one with --organization or as organizations.primary in the profile.",
    ),
    ...itemIf(
      operation.change && target.operations.readChange?.changeId === undefined,
      "The change in the URL does not exist: replace it by an id that the feed shows, or set operations.readChange.changeId in the profile.",
    ),
  ];
  return lines.flatMap((line) => paragraph(page, 0, line));
}

function checkOf({ refused, level }: NamedMutation["mutation"]): string {
  if (refused) return String(checkNumber(refused.check));
  return level === "OBSERVE" ? "open" : "";
}
