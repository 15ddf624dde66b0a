/** The kinds of error that a program can tell apart. docs/library.md says what each means. */
export const ERROR_CODES = [
  "ERR_FLAG",
  "ERR_PROFILE",
  "ERR_KEYS",
  "ERR_DOCUMENT",
  "ERR_NO_MATCH",
  "ERR_TARGET_UNREACHABLE",
  "ERR_PROXY",
  "ERR_LISTEN",
  "ERR_BASELINE",
  "ERR_REPORT",
  "ERR_TOKEN",
  "ERR_PACK",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * An error that the user can correct: a flag, a profile, a file, an unreachable target. The command
 * prints `message` and `hint` and exits with 2. It never shows a stack trace for it.
 */
export class SuiteError extends Error {
  override readonly name = "SuiteError";
  readonly code: ErrorCode;
  /** What to do about it, as one or more lines. */
  readonly hint: string | undefined;
  /** Each problem found in a file, with its place. Empty where the message says everything. */
  readonly problems: readonly string[];

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string | undefined; problems?: readonly string[]; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.problems = options.problems ?? [];
  }
}

/**
 * Runs `read`, whose errors are predicates such as "does not exist".
 * @param shown what they are about, as the user named it
 * @throws SuiteError with the name and the predicate
 */
export function naming<Result>(
  shown: string,
  code: ErrorCode,
  read: () => Result,
  hint?: string,
): Result {
  try {
    return read();
  } catch (cause) {
    throw new SuiteError(code, `${shown} ${(cause as Error).message}`, { hint, cause });
  }
}
