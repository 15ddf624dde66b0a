import { isUtf8 } from "node:buffer";
import { deflateRawSync, inflateRawSync } from "node:zlib";

import { parseJson } from "../lib/json.ts";
import { CUT_BYTES } from "./connection/body.ts";
import type { Reply } from "./exchange.ts";

/** Smaller bodies are not packed, and not compared. */
const LARGE_BYTES = 64 * 1024;
/** The room for packed bodies in a run. Lists of real items shrink to a fifth or less. */
const ROOM_BYTES = 16 * 1024 * 1024;
/** The bytes of the latest large bodies with which others are compared: a long list is answered hundreds of times. */
const RECENT_BYTES = 8 * 1024 * 1024;
/** The part of its bytes for which an equal body counts: it is received and searched, but not parsed again. */
const OF_EQUAL = 1 / 5;
/** The most commas and opening brackets of a JSON text. Each can take some hundred bytes. */
const MOST_PARTS = 300_000;
const FASTEST = { level: 1 };

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b];

/** The body of a reply. Where it is cut, it is no JSON; where there is no room to keep it, it is cut. */
export interface KeptBody extends Pick<Reply, "cut" | "isUtf8" | "json" | "keep"> {
  /** All bytes, or the beginning where `cut` is true. */
  bytes(): Buffer;
}

/** Makes kept bodies of the responses of a run. */
export interface BodyStore {
  store(bytes: Buffer, cut: boolean): KeptBody;
  /** The bytes of all bodies so far. A large one that was just answered counts a fifth. */
  readonly bytes: number;
}

/** What is known of equal bodies. It is found out once, and without keeping the bytes. */
interface Known {
  hasTooManyParts?: boolean;
  isUtf8?: boolean;
  parsed?: WeakRef<object>;
  packed?: Buffer;
}

/** Creates a store for bodies that limits the memory of those that are kept. */
export function createBodyStore(): BodyStore {
  let room = ROOM_BYTES;
  let total = 0;
  const recent: { readonly bytes: Buffer; readonly known: Known }[] = [];

  function recognised(bytes: Buffer): { readonly bytes: Buffer; readonly known: Known } {
    const equal = recent.find(
      (one) => one.bytes.length === bytes.length && one.bytes.equals(bytes),
    );
    total += equal ? bytes.length * OF_EQUAL : bytes.length;
    if (equal) return equal;
    const body = { bytes, known: {} };
    if (bytes.length > LARGE_BYTES) {
      recent.unshift(body);
      let left = RECENT_BYTES;
      const kept = recent.findIndex((one) => (left -= one.bytes.length) < 0);
      if (kept >= 0) recent.splice(kept);
    }
    return body;
  }

  return {
    store(received, wasCut) {
      const { bytes: all, known } = recognised(received);
      /** Absent once it is packed. */
      let plain: Buffer | undefined = all;
      let isCut = wasCut;
      const bytes = (): Buffer => plain ?? inflateRawSync(known.packed as Buffer);
      const body: KeptBody = {
        bytes,
        get cut() {
          return isCut || (known.hasTooManyParts ??= hasTooManyParts(bytes()));
        },
        get isUtf8() {
          return (known.isUtf8 ??= isUtf8(bytes()));
        },
        json() {
          if (body.cut) return undefined;
          const parsed = known.parsed?.deref();
          if (parsed) return parsed;
          const value = parseJson(bytes().toString("utf8"));
          if (typeof value === "object" && value !== null) known.parsed = new WeakRef(value);
          return value;
        },
        keep() {
          if (!plain || plain.length <= LARGE_BYTES) return;
          if (!body.cut && !known.packed) {
            const small = deflateRawSync(plain, FASTEST);
            if (small.length <= room) {
              room -= small.length;
              known.packed = small;
            }
          }
          isCut ||= known.packed === undefined;
          plain = isCut ? Buffer.from(plain.subarray(0, CUT_BYTES)) : undefined;
        },
      };
      return body;
    },
    get bytes() {
      return total;
    },
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
