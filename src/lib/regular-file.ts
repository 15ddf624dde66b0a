import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Why a file was not read. The message ends a sentence that begins with the file's name. */
class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
}

/** A file that is larger than what is read of it. */
export class TooLargeFile extends UnreadableFile {}

/**
 * Reads a regular file of bounded size. Refuses a FIFO, a device or a socket without waiting for it.
 * @param limitBytes the largest size that is read
 * @throws {UnreadableFile} with a predicate such as "does not exist"
 */
export function readRegularFile(file: string, limitBytes: number): Buffer {
  let descriptor: number;
  try {
    // Without O_NONBLOCK, opening a FIFO that has no writer would block.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    throw unreadable(cause);
  }
  try {
    const found = fstatSync(descriptor);
    if (found.isDirectory()) throw new UnreadableFile(REASONS["EISDIR"]);
    if (!found.isFile()) {
      throw new UnreadableFile("is not a regular file, but a pipe, a socket or a device");
    }
    return readAtMost(descriptor, limitBytes);
  } catch (cause) {
    throw cause instanceof UnreadableFile ? cause : unreadable(cause);
  } finally {
    closeSync(descriptor);
  }
}

/** Counts the bytes read, because files below /proc report a size of 0. */
function readAtMost(descriptor: number, limitBytes: number): Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = Buffer.alloc(64 * 1024);
    const read = readSync(descriptor, chunk);
    if (read === 0) return Buffer.concat(chunks, size);
    chunks.push(chunk.subarray(0, read));
    size += read;
    if (size > limitBytes) {
      throw new TooLargeFile(`is larger than ${sizeOf(limitBytes)}`);
    }
  }
}

const REASONS = {
  ENOENT: "does not exist",
  EISDIR: "is a folder; name a file in it",
  EACCES: "may not be read by this user",
} as const;

function unreadable(cause: unknown): UnreadableFile {
  const { code = "" } = cause as NodeJS.ErrnoException;
  const known = Object.hasOwn(REASONS, code) ? REASONS[code as keyof typeof REASONS] : undefined;
  return new UnreadableFile(known ?? "cannot be read", { cause });
}

function sizeOf(bytes: number): string {
  const kib = Math.round(bytes / 1024);
  return kib < 1024 ? `${kib} KiB` : `${Math.round(kib / 1024)} MiB`;
}
