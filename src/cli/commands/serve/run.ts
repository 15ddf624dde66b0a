import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { stringify } from "yaml";

import { PRIVATE_FILE, PUBLIC_FILE } from "../../../keys/jwks-file.ts";
import { didYouMean } from "../../../lib/did-you-mean.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { BUNDLED_KEYS } from "../../../profile/issuer-keys.ts";
import {
  COMMONGRANTS_FAULTS,
  COMMONGRANTS_VARIANTS,
  FAULTS,
  startReference,
  VARIANTS,
} from "../../../reference/index.ts";
import { createPage, table } from "../../../report/layout.ts";
import type { Terminal } from "../../../report/progress.ts";
import { untilStopped, type CommandIo } from "../../io.ts";
import type { ServeFlags } from "./flags.ts";

/** What the receiver can be given: of the contract, and of the protocol of each pack. */
const GROUPS = [
  { of: "", faults: FAULTS, variants: VARIANTS },
  { of: " of CommonGrants", faults: COMMONGRANTS_FAULTS, variants: COMMONGRANTS_VARIANTS },
];

/**
 * Lists faults and variants.
 * @param word only those whose name or title has it, in whatever case; empty: all
 * @throws SuiteError when none has it
 */
export function listPatches(terminal: Terminal, word: string): void {
  const page = createPage(terminal.columns, false);
  const groups = GROUPS.map(({ of, faults, variants }) => ({
    of,
    faults: faults.filter((one) => hasWord(one, word)),
    variants: variants.filter((one) => hasWord(one, word)),
  }));
  if (groups.every(({ faults, variants }) => faults.length + variants.length === 0)) {
    const names = GROUPS.flatMap(({ faults, variants }) => [...faults, ...variants]).map(
      ({ name }) => name,
    );
    const question = didYouMean(word, names, 3);
    throw new SuiteError(
      "ERR_NO_MATCH",
      `No fault and no variant has "${word}" in its name or title`,
      {
        hint: `${question}${question && " "}\`orgsync-conformance serve --list\` lists them all.`,
      },
    );
  }
  const sections = groups.flatMap(({ of, faults, variants }) => {
    const owners = [...new Set(faults.map(({ rule }) => rule))];
    const faultLines = [
      `Faults${of}, by the rule that must detect them`,
      ...owners.flatMap((owner) => [
        "",
        `  ${owner}`,
        ...table(page, 4, faults.filter(({ rule }) => rule === owner).map(nameAndTitle)),
      ]),
    ];
    const variantLines = [
      `Variants${of}, which conform: no rule may fail on them`,
      "",
      ...table(page, 4, variants.map(nameAndTitle)),
    ];
    return [
      ...(faults.length > 0 ? [faultLines] : []),
      ...(variants.length > 0 ? [variantLines] : []),
    ];
  });
  terminal.write(`${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`);
}

function hasWord({ name, title }: { name: string; title: string }, word: string): boolean {
  return `${name}\n${title}`.toLowerCase().includes(word.toLowerCase());
}

/**
 * Runs the reference receiver until the user stops it. Prints its profile on stdout.
 * @throws SuiteError when a fault, a variant or the keys cannot be used
 */
export async function serve(flags: ServeFlags, io: CommandIo): Promise<void> {
  const { fault: faults = [], variant: variants = [] } = flags;
  const local = flags.jwks !== undefined && !/^https?:/i.test(flags.jwks);
  const jwks = local ? resolve(io.cwd, flags.jwks) : flags.jwks;
  const reference = await startReference({
    port: flags.port,
    host: flags.host,
    faults,
    variants,
    jwks: jwks ?? join(BUNDLED_KEYS, PUBLIC_FILE),
    ...(flags.organizations !== undefined && { organizations: flags.organizations }),
  });
  const blocked = untilStopped(io);
  const built = [...faults, ...variants];
  io.stdout.write(profileText(reference.profile, jwks));
  const server = reference.profile["authorizationServer"] ? ", beside an authorization server" : "";
  io.stderr.write(
    `The reference receiver${built.length > 0 ? `, with ${built.join(", ")},` : ""} listens on ${reference.baseUrl}${server}; Ctrl-C stops it.\n`,
  );
  await blocked;
  await reference.close();
}

/** A profile as YAML. It names the private keys unless they are the bundled ones. */
function profileText(profile: Record<string, unknown>, jwks: string | undefined): string {
  if (jwks === undefined) return yaml(profile);
  const folder = dirname(jwks);
  if (!existsSync(join(folder, PRIVATE_FILE))) {
    return `# testIssuer.keys is missing: the folder with the private keys to ${jwks}\n${yaml(profile)}`;
  }
  return yaml({ ...profile, testIssuer: { ...(profile["testIssuer"] as object), keys: folder } });
}

function yaml(profile: Record<string, unknown>): string {
  return stringify(profile, { aliasDuplicateObjects: false });
}

function nameAndTitle({ name, title }: { name: string; title: string }): [string, string] {
  return [name, title];
}
