import type { Readable, Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from "node:zlib";

/** Bytes that are read of a response, before and after decoding. */
export const BODY_LIMIT_BYTES: number = 4 * 1024 * 1024;

/** Bytes that are kept of a response that is longer than that. */
export const CUT_BYTES: number = 64 * 1024;

/** Lets the beginning of something longer be decoded. */
const LENIENT = { finishFlush: constants.Z_SYNC_FLUSH };
const LENIENT_BROTLI = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
const ZLIB_METHOD = 8;

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Transform>> = {
  gzip: () => createGunzip(LENIENT),
  "x-gzip": () => createGunzip(LENIENT),
  // Some servers leave out the wrapping that RFC 1950 wants.
  deflate: (bytes) =>
    ((bytes[0] ?? 0) & 0x0f) === ZLIB_METHOD ? createInflate(LENIENT) : createInflateRaw(LENIENT),
  br: () => createBrotliDecompress(LENIENT_BROTLI),
};
const MOST_CODINGS = 3;

/**
 * Reads a response body, at most `BODY_LIMIT_BYTES` of it; of a longer one the first `CUT_BYTES` are kept.
 * A content coding is undone even though none was asked for: RFC 9110 §12.5.3 lets a server choose
 * when the request does not say. What cannot be decoded is given as it came.
 * @throws what the stream throws
 */
export async function readBody(
  stream: Readable,
  contentEncoding: string | undefined,
): Promise<{ bytes: Buffer; cut: boolean }> {
  const raw = await firstBytes(stream);
  let { bytes, cut } = raw;
  for (const decode of decodersOf(contentEncoding)) {
    if (bytes.length === 0) break;
    try {
      const decoder = decode(bytes);
      decoder.end(bytes);
      const decoded = await firstBytes(decoder);
      bytes = decoded.bytes;
      cut ||= decoded.cut;
    } catch {
      return raw;
    }
  }
  return { bytes, cut };
}

/** In the order in which they are undone; none where one is not known. */
function decodersOf(contentEncoding = ""): readonly ((bytes: Buffer) => Transform)[] {
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

async function firstBytes(stream: Readable): Promise<{ bytes: Buffer; cut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop destroys the stream.
    if (size > BODY_LIMIT_BYTES) break;
  }
  const cut = size > BODY_LIMIT_BYTES;
  // Nothing is concluded from what was cut, so that its beginning is enough.
  return { bytes: Buffer.concat(chunks, cut ? CUT_BYTES : size), cut };
}
