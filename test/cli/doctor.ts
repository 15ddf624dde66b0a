import type { Check } from "../../src/doctor/check.ts";
import type { Examination } from "../../src/doctor/checks.ts";
import type { ReferenceOptions } from "../../src/reference/index.ts";
import { mergePatch } from "../../src/reference/merge-patch.ts";
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

/** How a profile is changed, as RFC 7396 says: null removes a key. */
export type Patch = object | ((profile: Profile) => object);

/** The same, for a reference receiver whose profile is changed. */
export async function doctorOf(
  patch: Patch,
  options: Omit<ReferenceOptions, "jwks"> = {},
): ReturnType<typeof doctor> {
  const { profile } = await receiver(options);
  const changed = typeof patch === "function" ? patch(profile) : patch;
  return doctor(mergePatch(profile, changed) as Profile);
}
