/**
 * Something that the person at the keyboard can put right: a flag, a profile, a file, an unreachable target.
 * The command prints `message` and `hint` and exits 2; it never shows a stack trace for it.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  /** What to do about it, as one or more lines. */
  readonly hint: string | undefined;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.hint = options.hint;
  }
}
