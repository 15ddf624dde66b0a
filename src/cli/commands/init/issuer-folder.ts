import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

import { generateKeys } from "../../../keys/generate.ts";
import { ignorePrivateKeys } from "../../../keys/ignore.ts";
import { PRIVATE_FILE, PUBLIC_FILE } from "../../../keys/jwks-file.ts";
import { isLoopbackHost } from "../../../lib/uri.ts";
import { hasBundledKey } from "../../../profile/bundled-keys.ts";
import { loadIssuerKeys } from "../../../profile/issuer-keys.ts";

/** The keys that `init` names in a profile. */
export interface IssuerFolder {
  /** The folder, relative to the working directory. */
  readonly folder: string;
  readonly keys: readonly { readonly kid: string; readonly alg: string }[];
  /** New keys, existing keys, or existing keys whose private halves are public. */
  readonly origin: "made" | "own" | "bundled";
  /** The folder that was not used: it has the bundled keys, and another machine is tested. */
  readonly instead?: string | undefined;
}

/**
 * Finds the keys for a deployment, and makes them when the folder has none. The bundled keys serve only for a
 * deployment on this machine; for any other deployment a folder beside theirs is used. Adds a `.gitignore`
 * for private keys.
 * @param wanted the folder, relative to the working directory
 * @throws SuiteError when existing keys cannot be used, or keys cannot be made
 */
export async function issuerFolder(
  wanted: string,
  { baseUrl, cwd }: { readonly baseUrl: string; readonly cwd: string },
): Promise<IssuerFolder> {
  const onThisMachine = isLoopbackHost(new URL(baseUrl).hostname);
  const first = resolve(cwd, wanted);
  for (let count = 0; ; count++) {
    const path = count === 0 ? first : beside(first, count);
    const folder = count === 0 ? wanted : relative(cwd, path);
    const passed = count === 0 ? {} : { instead: wanted };
    if (![PUBLIC_FILE, PRIVATE_FILE].some((name) => existsSync(join(path, name)))) {
      const { keys } = await generateKeys(path);
      return { folder, keys, origin: "made", ...passed };
    }
    const keys = loadIssuerKeys(path);
    if (!hasBundledKey(keys)) {
      await ignorePrivateKeys(path);
      return { folder, keys, origin: "own", ...passed };
    }
    if (onThisMachine) return { folder, keys, origin: "bundled" };
  }
}

/** `keys-own`, `keys-own-2` and so on, beside `keys`. */
function beside(folder: string, count: number): string {
  const suffix = count === 1 ? "own" : `own-${count}`;
  return join(dirname(folder), `${basename(folder)}-${suffix}`);
}
