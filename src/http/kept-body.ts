import { deflateRawSync, inflateRawSync } from "node:zlib";

import { CUT_BYTES } from "./body.ts";

/** Smaller bodies are kept as they are. */
const LARGE_BYTES = 64 * 1024;
/** What a run keeps of large bodies, packed. Lists of real items are packed to a fifth and less. */
const ROOM_BYTES = 16 * 1024 * 1024;
/** Commas and opening brackets of a JSON text that is read; parsed, each takes up to some hundred bytes. */
const MOST_PARTS = 300_000;
const FASTEST = { level: 1 };

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b];

/** The bytes of one body. */
export interface KeptBody {
  /** All of them, or their beginning where they are cut. */
  bytes(): Buffer;
  /** They are only the beginning, or more than is made sense of. */
  readonly cut: boolean;
  /** For an answer that is held for longer than its case: packs a large body, and cuts it where there is no room. */
  keep(): void;
}

/** Holds bodies, so that those which are kept for long do not add up. */
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
  // Several times as fast as an iterator.
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if ((byte === COMMA || byte === BRACKET || byte === BRACE) && ++parts > MOST_PARTS) return true;
  }
  return false;
}
