import { packageRoot } from "../lib/package-root.ts";

/** The keys that every receiver of the proof trusts. */
export const JWKS: string = `${packageRoot}/keys/jwks.json`;

/** The seed of every proof, so that two proofs of one build are equal. */
export const SEED = 1;
