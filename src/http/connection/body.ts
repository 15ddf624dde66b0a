import type { Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from "node:zlib";

/** The most bytes that are read of a response, before and after decoding. */
export const BODY_LIMIT_BYTES: number = 4 * 1024 * 1024;

/** The bytes that are kept of a longer response. */
export const CUT_BYTES: number = 64 * 1024;

/** Allows decoding a truncated stream. */
const LENIENT = { finishFlush: constants.Z_SYNC_FLUSH };
const LENIENT_BROTLI = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
const ZLIB_METHOD = 8;

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Transform>> = {
  gzip: () => createGunzip(LENIENT),
  "x-gzip": () => createGunzip(LENIENT),
  // Some servers omit the zlib wrapper that RFC 1950 requires.
  deflate: (bytes) =>
    ((bytes[0] ?? 0) & 0x0f) === ZLIB_METHOD ? createInflate(LENIENT) : createInflateRaw(LENIENT),
  br: () => createBrotliDecompress(LENIENT_BROTLI),
};
const MOST_CODINGS = 3;

/** A response body. */
export interface Body {
  /** Decoded bytes. A text is in UTF-8. */
  readonly body: Uint8Array;
  /** True when it was longer than the limit, and `body` is its beginning. */
  readonly cut: boolean;
  /** True when it is not in the content coding that it claims, and `body` is as it came. */
  readonly undecoded?: true;
}

/** The first bytes of a body that arrives in pieces: at most `BODY_LIMIT_BYTES`, and `CUT_BYTES` of a longer one. */
export interface Collected {
  /** @returns whether the body may still be within the limit */
  add(piece: Uint8Array): boolean;
  body(): Body;
}

/** Collects the first bytes of a body. */
export function collect(): Collected {
  const pieces: Uint8Array[] = [];
  let size = 0;
  return {
    add(piece) {
      pieces.push(piece);
      size += piece.length;
      return size <= BODY_LIMIT_BYTES;
    },
    body() {
      const cut = size > BODY_LIMIT_BYTES;
      // The beginning is enough, because no rule judges a truncated body.
      return { body: Buffer.concat(pieces, cut ? CUT_BYTES : size), cut };
    },
  };
}

/**
 * Decodes the content codings of a body, although the request asks for none, because RFC 9110 §12.5.3 then lets
 * the server choose. A body that is not in a coding that it claims is returned as it came.
 */
export async function decoded(raw: Body, contentEncoding: string | undefined): Promise<Body> {
  let { body, cut } = raw;
  for (const decode of decodersOf(contentEncoding)) {
    if (body.length === 0) break;
    try {
      const decoder = decode(body);
      decoder.end(body);
      const result = await firstBytes(decoder);
      body = result.body;
      cut ||= result.cut;
    } catch {
      return { ...raw, undecoded: true };
    }
  }
  return { body, cut };
}

/** The decoders, in the order of use. Empty where a coding is unknown. */
function decodersOf(contentEncoding = ""): readonly ((bytes: Uint8Array) => Transform)[] {
  const names = contentEncoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const decoders = names.map((name) =>
    Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined,
  );
  const known = decoders.filter((decode) => decode !== undefined);
  return known.length === names.length && known.length <= MOST_CODINGS ? known.toReversed() : [];
}

async function firstBytes(stream: AsyncIterable<Uint8Array>): Promise<Body> {
  const collected = collect();
  for await (const piece of stream) {
    // Leaving the loop destroys the stream.
    if (!collected.add(piece)) break;
  }
  return collected.body();
}
