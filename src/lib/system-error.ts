/** What an error of the operating system means, as the end of a sentence. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "there is no permission",
  EADDRINUSE: "the port is taken",
  EADDRNOTAVAIL: "this machine has no such address",
  EAGAIN: "the system has no resources left for it",
  EBUSY: "something else uses it",
  EDQUOT: "the quota of the disk is used up",
  EEXIST: "something with that name exists",
  EFBIG: "it would be too large for the file system",
  EIO: "the disk or the device failed",
  EISDIR: "a folder has that name",
  ELOOP: "its symbolic links lead in a circle",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "the name is too long",
  ENFILE: "too many files are open",
  ENOENT: "it does not exist",
  ENOMEM: "there is not enough memory",
  ENOSPC: "the disk is full",
  ENOTDIR: "a file has the name of a folder in its path",
  ENOTEMPTY: "the folder is not empty",
  ENOTFOUND: "there is no such host",
  EPERM: "there is no permission",
  EPIPE: "the reader has gone",
  EROFS: "the file system may only be read",
  ERR_SOCKET_BAD_PORT: "a port is a number from 0 to 65535",
};

/**
 * Why the operating system refused something; Node's own message, with its call and path, reaches nobody.
 * @param own what some codes mean in this place
 */
export function systemReason(error: unknown, own: Readonly<Record<string, string>> = {}): string {
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== "string") return error instanceof Error ? error.message : String(error);
  return own[code] ?? REASONS[code] ?? `the system answered ${code}`;
}
