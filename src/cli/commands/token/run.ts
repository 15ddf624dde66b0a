import { checkNumber } from "../../../contract/checks.ts";
import { OPERATION_IDS, OPERATIONS, type OperationId } from "../../../contract/operations.ts";
import { type DoctorTokens, openTokens } from "../../../doctor/issued-tokens.ts";
import { secretsOf } from "../../../http/recording/record.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { itemIf } from "../../../lib/group-by.ts";
import { counted } from "../../../lib/words.ts";
import { mutatesToken } from "../../../mutations/mint.ts";
import { type MutationContext, unchanged } from "../../../mutations/mutation.ts";
import { chooseToken } from "../../../probe/choose-token.ts";
import { type ComposedRequest, composeRequest } from "../../../probe/compose.ts";
import type { Difference } from "../../../probe/difference/difference.ts";
import { inWords } from "../../../probe/phrase.ts";
import { newUnique } from "../../../probe/request.ts";
import { mintedTokens, type NoToken } from "../../../probe/token-source.ts";
import { unmetNeeds } from "../../../profile/need.ts";
import { findTarget } from "../../../profile/resolve.ts";
import type { Target } from "../../../profile/target.ts";
import { INSTALLED, sendingWith } from "../../../report/commands.ts";
import { createPage, type Page, paragraph, table } from "../../../report/layout.ts";
import { differenceTexts } from "../../../report/text/differences.ts";
import { printable } from "../../../report/untrusted.ts";
import { draftToken } from "../../../tokens/draft.ts";
import { signEdited } from "../../../tokens/edited.ts";
import { type CommandIo, startedAs } from "../../io.ts";
import { pick } from "../../pick.ts";
import { DEFAULT_PROFILE, profileFile } from "../../profile-file.ts";
import { namedVariables, profiledTarget } from "../../run-target.ts";
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
 * Prints one token on stdout, and on stderr how it differs from a good one and how to send it. Sends nothing to the receiver.
 * Without a test issuer, the authorization server issues the token.
 * @param wanted a mutation as `pick` finds it, the id of a case, or `good`
 * @throws SuiteError when there is no profile, or the token cannot be made for it
 */
export async function printToken(
  wanted: string,
  baseUrl: string | undefined,
  flags: TokenFlags,
  io: CommandIo,
): Promise<void> {
  const profiled = tokenTarget(baseUrl, flags, io);
  const source = issuingSource(profiled, io);
  try {
    const target = (await source?.describe()) ?? profiled;
    const made = await make(target, source, choose(target, wanted, flags), flags);
    print(made, (name) => ownWords(name, baseUrl, flags, io), flags, io);
  } finally {
    await source?.close();
  }
}

/**
 * Prints one token with exactly the header and claims of the options. Sends nothing.
 * @throws SuiteError when there is no profile, or it has no test issuer whose key could sign
 */
export async function printEdited(
  baseUrl: string | undefined,
  flags: TokenFlags,
  io: CommandIo,
): Promise<void> {
  const target = tokenTarget(baseUrl, flags, io);
  if (target.issued) {
    throw new SuiteError(
      "ERR_TOKEN",
      "The profile has no test issuer whose key could sign --claims or --header",
    );
  }
  const { chosen, operation } = choose(target, GOOD.name, flags);
  const { form, organization } = contextFor(target, chosen, operation, flags);
  const good = draftToken(target, OPERATIONS[operation], form, organization);
  const { claims = good.claims, header = good.header, key = "issuer" } = flags;
  const { testIssuer } = target;
  const filling = {
    now: Math.floor(Date.now() / 1000),
    unique: newUnique(),
    issuer: testIssuer,
  };
  const { token } = await signEdited({ key, header, claims }, testIssuer, filling);
  io.stdout.write(`${token}\n`);
}

/**
 * The token of a case's only mutation, made anew.
 * @throws SuiteError when it cannot be made
 */
export async function tokenOfCase(profiled: Target, id: string): Promise<string> {
  const source = profiled.issued
    ? openTokens(profiled, { secrets: secretsOf(profiled) })
    : undefined;
  const flags: TokenFlags = { typ: "JWT" };
  try {
    const target = (await source?.describe()) ?? profiled;
    const { composed } = await make(target, source, choose(target, id, flags), flags);
    return composed.token;
  } finally {
    await source?.close();
  }
}

interface Made {
  readonly target: Target;
  readonly chosen: NamedMutation;
  readonly context: MutationContext;
  readonly composed: ComposedRequest;
}

/** @param source absent where the test issuer's key signs */
async function make(
  target: Target,
  source: DoctorTokens | undefined,
  { chosen, operation: id }: ReturnType<typeof choose>,
  flags: TokenFlags,
): Promise<Made> {
  refuseUnmakeable(target, chosen);
  if (!mutatesToken(chosen.mutation) && !chosen.mutation.authorization && chosen !== GOOD) {
    throw changesNoToken(chosen, again(chosen, id));
  }
  const context = contextFor(target, chosen, id, flags);
  const tokens = source ?? mintedTokens(target);
  const token = await chooseToken({ tokens, target }, chosen.mutation, context);
  if ("lacking" in token) throw noToken(token);
  const composed = await composeRequest({ context, place: samplePlace(context), ...token });
  return { target, chosen, context, composed };
}

/** @param words the words of this command for a mutation */
function print(
  { target, chosen, context, composed }: Made,
  words: (name: string) => readonly string[],
  { quiet = false }: TokenFlags,
  io: CommandIo,
): void {
  const { mutation, name } = chosen;
  const { id } = context.operation;
  const { token, differences } = composed;
  if (chosen !== GOOD && !mutatesToken(mutation)) {
    const curl = [
      "Send it with a good token:",
      ...sendingWith(words(`${GOOD.name}@${id}`), asCurl(target, composed)),
    ];
    throw changesNoToken(chosen, curl.join("\n"));
  }
  if (!PASSES_A_SHELL.test(token)) {
    throw new SuiteError(
      "ERR_TOKEN",
      `${name} contains bytes that a shell does not pass on: ${mutation.what}`,
      { hint: again(chosen, id) },
    );
  }
  io.stdout.write(`${token}\n`);
  if (quiet) return;
  const page = createPage(io.stderr.columns, false);
  const lines = [
    ...note(page, chosen, context, differences),
    ...unknownIds(page, context),
    ...sendingWith(words(`${name}@${id}`), asCurl(target, composed)),
  ];
  io.stderr.write(`${lines.join("\n")}\n`);
}

function changesNoToken({ name, mutation }: NamedMutation, hint: string): SuiteError {
  const message = `${name} does not change the token: ${mutation.what}`;
  return new SuiteError("ERR_TOKEN", message, { hint });
}

/**
 * The deployment that the token is for.
 * @throws SuiteError when neither a profile nor a base URL names one, or it cannot be used
 */
function tokenTarget(baseUrl: string | undefined, flags: TokenFlags, io: CommandIo): Target {
  const { allowBundledKeys, untrusted } = flags;
  const { cwd } = io;
  const profile = profileFile(flags.profile, cwd);
  if (profile === undefined && baseUrl === undefined) {
    throw new SuiteError(
      "ERR_PROFILE",
      `A token is for one deployment, but there is no ${DEFAULT_PROFILE} here`,
      { hint: "Name the profile with --profile; `orgsync-conformance token --list` needs none." },
    );
  }
  const env = namedVariables(flags, io);
  return findTarget({ profile, baseUrl, allowBundledKeys, untrusted, cwd, env });
}

/**
 * The source of tokens where the authorization server issues them; `undefined` where the test issuer's key signs them.
 * @throws SuiteError when no client gets one without a person's consent, or it would show on the terminal
 */
function issuingSource(target: Target, io: CommandIo): DoctorTokens | undefined {
  if (!target.issued) return undefined;
  const source = openTokens(target, { secrets: secretsOf(target) });
  if (!source) {
    const names = target.authorizationServer?.clients.map(({ name }) => name).join(", ") || "none";
    throw new SuiteError(
      "ERR_TOKEN",
      "The profile has no test issuer whose key could sign a token",
      {
        hint: `\`orgsync-conformance token --client <name>\` shows what a client's token says; \`authorizationServer.clients\` has ${names}.`,
      },
    );
  }
  if (!io.stdout.isTTY) return source;
  throw new SuiteError("ERR_TOKEN", "An issued token is not shown on a terminal", {
    hint: "Put it into a variable: `TOKEN=$(orgsync-conformance token --quiet)`. `orgsync-conformance token --client <name>` shows what it says.",
  });
}

function noToken({ lacking }: NoToken): SuiteError {
  const because = lacking.kind === "not-provisioned" ? lacking.because : lacking.reason;
  const missing = lacking.kind === "not-provisioned" ? `: ${lacking.keys.join(", ")}` : "";
  return new SuiteError(
    "ERR_TOKEN",
    `There is no such token${because ? `: ${printable(inWords(because))}` : missing}`,
    {
      hint: "Clients that need a person's consent are not asked here; `orgsync-conformance token --client <name>` asks them, and shows what their token says.",
    },
  );
}

function option(flag: string, value: string | undefined): string[] {
  return value === undefined ? [] : [flag, value];
}

/** The words that print a token again, without anything else. */
function ownWords(
  name: string,
  baseUrl: string | undefined,
  flags: TokenFlags,
  io: CommandIo,
): string[] {
  return [
    ...(startedAs(io) ?? INSTALLED),
    "token",
    name,
    ...(baseUrl === undefined ? [] : [baseUrl]),
    ...option("--profile", flags.profile),
    ...option("--mutation", flags.mutation),
    ...option("--organization", flags.organization),
    ...(flags.unbound ? ["--unbound"] : []),
    ...(flags.typ === "JWT" ? [] : ["--typ", flags.typ]),
    ...(flags.allowBundledKeys ? ["--allow-bundled-keys"] : []),
    ...(flags.untrusted ? ["--untrusted"] : []),
    ...(flags.env ?? []).flatMap((one) => ["--env", one]),
    "--quiet",
  ];
}

function choose(
  target: Target,
  wanted: string,
  { operation, mutation }: TokenFlags,
): { chosen: NamedMutation; operation: OperationId } {
  const [name = "", ofCase] = wanted.split("@", 2);
  const all = namedMutations(target, mutation);
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
  { name, mutation, sends = 1 }: NamedMutation,
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
    ...itemIf(
      sends > 1,
      `Its case sends up to ${sends} requests. One alone may be answered otherwise; \`replay\` sends them all.`,
    ).flatMap((line) => paragraph(page, 0, line)),
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
      "The organization in the URL does not exist: name one with --organization or as `organizations.primary` in the profile.",
    ),
    ...itemIf(
      operation.change && target.operations.readChange?.changeId === undefined,
      "The change in the URL does not exist: replace it by an id that the feed shows, or set `operations.readChange.changeId` in the profile.",
    ),
  ];
  return lines.flatMap((line) => paragraph(page, 0, line));
}

function checkOf({ refused, level }: NamedMutation["mutation"]): string {
  if (refused) return String(checkNumber(refused.check));
  return level === "OBSERVE" ? "open" : "";
}
