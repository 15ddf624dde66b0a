import { deflateRawSync, inflateRawSync } from "node:zlib";

import { CUT_BYTES } from "./connection/body.ts";

/** Smaller bodies are not packed. */
const LARGE_BYTES = 64 * 1024;
/** The room for packed bodies in a run. Lists of real items shrink to a fifth or less. */
const ROOM_BYTES = 16 * 1024 * 1024;
/** The most commas and opening brackets of a JSON text. Each can take some hundred bytes. */
const MOST_PARTS = 300_000;
const FASTEST = { level: 1 };

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b];

/** The bytes of one response body. */
export interface KeptBody {
  /** All bytes, or the beginning where `cut` is true. */
  bytes(): Buffer;
  /** True where bytes are missing, or the JSON has too many parts to be parsed. */
  readonly cut: boolean;
  /** Packs a large body that is kept for longer than its case, or cuts it where there is no room. */
  keep(): void;
}

/** Creates a store for bodies that limits the memory of those that are kept. */
export function createBodyStore(): (bytes: Buffer, cut: boolean) => KeptBody {
  let room = ROOM_BYTES;
  return (received, wasCut) => {
    let plain: Buffer | undefined = received;
    let packed: Buffer | undefined;
    let cut: boolean | undefined = wasCut || undefined;
    const body: KeptBody = {
      bytes: () => plain ?? inflateRawSync(packed as Buffer),
      get cut() {
        return (cut ??= plain !== undefined && hasTooManyParts(plain));
      },
      keep() {
        if (!plain || plain.length <= LARGE_BYTES) return;
        const small = body.cut ? undefined : deflateRawSync(plain, FASTEST);
        if (small && small.length <= room) {
          room -= small.length;
          [plain, packed] = [undefined, small];
        } else {
          cut = true;
          plain = Buffer.from(plain.subarray(0, CUT_BYTES));
        }
      },
    };
    return body;
  };
}

function hasTooManyParts(bytes: Buffer): boolean {
  if (bytes.length <= MOST_PARTS) return false;
  let parts = 0;
  // An index loop is several times faster than an iterator here.
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if ((byte === COMMA || byte === BRACKET || byte === BRACE) && ++parts > MOST_PARTS) return true;
  }
  return false;
}
