import { refuseBundledKeys } from "./bundled-keys.ts";
import { loadProfile, profileFromObject, type Surroundings } from "./load.ts";
import { resolveTarget } from "./resolve.ts";
import type { Target } from "./target.ts";

/** How to find a deployment, and what the suite may do to it. */
export interface TargetOptions extends Surroundings {
  /**
   * A profile's file (YAML or JSON), or a profile as an object. Its relative paths start at the
   * file's folder, or at `cwd`.
   */
  readonly profile?: string | Readonly<Record<string, unknown>> | undefined;
  /** Overrides the profile's base URL; needed where there is no profile. */
  readonly baseUrl?: string | undefined;
  /** Sends no PATCH and no POST, whatever the profile consents to; default false. */
  readonly readOnly?: boolean | undefined;
  /** Uses the bundled keys, which are public, against other machines; default false. */
  readonly allowBundledKeys?: boolean | undefined;
}

/**
 * The target of a profile, a base URL, or both. Reads files and sends nothing.
 * @throws SuiteError when the profile, the base URL or the keys are unusable
 */
export function findTarget(options: TargetOptions): Target {
  const { profile: source, baseUrl, readOnly, allowBundledKeys = false, cwd, env } = options;
  const surroundings = { cwd, env, untrusted: options.untrusted };
  const profile =
    typeof source === "string"
      ? loadProfile(source, surroundings)
      : source && profileFromObject(source, ".", surroundings);
  const target = resolveTarget({ profile, baseUrl, readOnly, cwd });
  refuseBundledKeys(target, allowBundledKeys);
  return target;
}
