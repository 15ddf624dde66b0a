import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";

/** Bytes that are read of a response, before and after decoding. */
export const BODY_LIMIT_BYTES: number = 4 * 1024 * 1024;

const DECODERS: Readonly<
  Record<string, (input: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/**
 * Reads a response body as UTF-8 text, at most `BODY_LIMIT_BYTES` of it.
 * A content coding is undone even though none was asked for: RFC 9110 §12.5.3 lets a server choose
 * when the request does not say. What cannot be decoded is given as it came.
 */
export async function readBody(
  stream: Readable,
  contentEncoding: string | undefined,
): Promise<{ text: string; cut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > BODY_LIMIT_BYTES) break;
  }
  const cut = size > BODY_LIMIT_BYTES;
  const bytes = Buffer.concat(chunks).subarray(0, BODY_LIMIT_BYTES);
  const decode = DECODERS[(contentEncoding ?? "").trim().toLowerCase()];
  if (!decode || cut || bytes.length === 0) return { text: bytes.toString("utf8"), cut };
  try {
    const decoded = await decode(bytes, { maxOutputLength: BODY_LIMIT_BYTES });
    return { text: decoded.toString("utf8"), cut: false };
  } catch (error) {
    const tooLong = (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
    return { text: tooLong ? "" : bytes.toString("utf8"), cut: tooLong };
  }
}
