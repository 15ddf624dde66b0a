import {
  connect,
  createIssuedTokens,
  type IssuedToken,
} from "../../../authorization-server/index.ts";
import { createRedactor } from "../../../http/recording/redact.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { heading, createPage, paragraph, table, type Page } from "../../../report/layout.ts";
import { printable } from "../../../report/untrusted.ts";
import { tellConsents } from "../../consents.ts";
import type { CommandIo } from "../../io.ts";
import { profiledTarget } from "../../run-target.ts";
import type { TokenFlags } from "./flags.ts";

const LONGEST_VALUE = 300;

/**
 * Runs the flow of one client of the profile, and prints the content of its token. Never prints the token.
 * @param name the client's name in the profile
 * @throws SuiteError when the profile names no such client, or the server issues no token
 */
export async function issueToken(name: string, flags: TokenFlags, io: CommandIo): Promise<void> {
  const target = profiledTarget(flags, io);
  const server = target?.authorizationServer;
  const client = server?.clients.find((one) => one.name === name);
  if (!target || !server || !client) {
    const names = server?.clients.map((one) => one.name).join(", ") || "none";
    throw new SuiteError("ERR_PROFILE", `The profile names no client ${name}`, {
      hint: `\`authorizationServer.clients\` has ${names}.`,
    });
  }
  const { timeoutMs, ca } = target.request;
  const connection = connect(server, { timeoutMs, ca, onConsent: tellConsents(io.stderr) });
  try {
    const token = await createIssuedTokens(connection).get(client);
    if ("failed" in token) {
      throw new SuiteError("ERR_TOKEN", `No token was issued: ${printable(token.failed)}`, {
        hint: "Check that the profile describes the client as it is registered.",
      });
    }
    const page = createPage(io.stdout.columns, false);
    io.stdout.write(`${decoded(page, token).join("\n")}\n`);
  } finally {
    await connection.close();
  }
}

function decoded(
  page: Page,
  { token, unreadable, header, claims, response, askedWords }: IssuedToken,
): string[] {
  const redact = createRedactor([token]);
  const shown = (value: unknown): string =>
    printable(redact(JSON.stringify(value) ?? ""), LONGEST_VALUE);
  const rows = (object: Readonly<Record<string, unknown>>): string[][] =>
    Object.entries(object).map(([member, value]) => [printable(member), shown(value)]);
  if (unreadable !== undefined) {
    return paragraph(page, 0, `A token was issued, but it is not a signed JWT: ${unreadable}.`);
  }
  return [
    heading(page, "Header"),
    "",
    ...table(page, 2, rows(header)),
    "",
    heading(page, "Claims"),
    "",
    ...table(page, 2, rows(claims)),
    "",
    ...paragraph(
      page,
      0,
      `Asked for: ${askedWords}. The response says: ${response.scope === undefined ? "nothing about the scope" : printable(response.scope)}.`,
    ),
  ];
}
