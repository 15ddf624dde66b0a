import type { Check } from "../../src/doctor/check.ts";
import type { Examination } from "../../src/doctor/checks.ts";
import type { ReferenceOptions } from "../../src/reference/index.ts";
import { command, ioWith } from "./io.ts";
import { receiver } from "./servers.ts";

/** The id of no organization and of no change. */
export const UNKNOWN_ID = "dddddddd-dddd-4ddd-8ddd-dddddddddddd";

export type Profile = Record<string, unknown>;

/** The output of `doctor --json` for a profile. */
export async function doctor(
  profile: Profile,
  files: Record<string, string> = {},
): Promise<{ code: number; found: Examination; problems: Check[]; of: (id: string) => Check }> {
  const { code, out } = await command(["doctor", "--json"], ioWith(profile, files));
  const found = JSON.parse(out) as Examination;
  const of = (id: string): Check => {
    const check = found.checks.find((one) => one.id === id);
    if (!check) throw new Error(`no check ${id}`);
    return check;
  };
  return { code, found, of, problems: found.checks.filter(({ state }) => state === "problem") };
}

/** The same, for a reference receiver whose profile is changed. */
export async function doctorOf(
  change: (profile: Profile) => Profile,
  options: Omit<ReferenceOptions, "jwks"> = {},
): ReturnType<typeof doctor> {
  const { profile } = await receiver(options);
  return doctor(change(structuredClone(profile)));
}

/** Leaves a profile as it is. */
export const unchanged = (profile: Profile): Profile => profile;

/** Changes the test issuer of a profile. */
export const withIssuer =
  (issuer: Profile) =>
  (profile: Profile): Profile => ({
    ...profile,
    testIssuer: { ...(profile["testIssuer"] as Profile), ...issuer },
  });

/** Changes the organizations of a profile. */
export const withOrganizations =
  (organizations: Profile) =>
  (profile: Profile): Profile => ({
    ...profile,
    organizations: { ...(profile["organizations"] as Profile), ...organizations },
  });
