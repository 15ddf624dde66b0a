import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

import { generateKeys } from "../../../keys/generate.ts";
import { ignorePrivateKeys } from "../../../keys/ignore.ts";
import { PRIVATE_FILE, PUBLIC_FILE } from "../../../keys/jwks-file.ts";
import { isLoopbackHost } from "../../../lib/loopback.ts";
import { hasBundledKey } from "../../../profile/bundled-keys.ts";
import { loadIssuerKeys } from "../../../profile/issuer-keys.ts";

/** The keys that `init` writes into a profile. */
export interface IssuerFolder {
  /** As the person would name it, from the working directory. */
  readonly folder: string;
  readonly keys: readonly { readonly kid: string; readonly alg: string }[];
  /** `made` just now; `own`: they were there; `bundled`: they were there, and everybody has their private halves. */
  readonly origin: "made" | "own" | "bundled";
  /** A folder that was passed over, because its keys are the bundled ones and the deployment is elsewhere. */
  readonly instead?: string | undefined;
}

/**
 * Finds the keys for a deployment, and makes them where the folder has none. The bundled ones, by whatever name,
 * are good for a deployment on this machine only: for any other, a folder beside theirs is taken.
 * Git is told to ignore private keys that are to be kept.
 * @param wanted the folder, from the working directory
 * @throws SuiteError when there are keys that cannot be used, or none can be made
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

/** `keys-own`, `keys-own-2` and so on beside `keys`. */
function beside(folder: string, count: number): string {
  const suffix = count === 1 ? "own" : `own-${count}`;
  return join(dirname(folder), `${basename(folder)}-${suffix}`);
}
