/** One entry of `errors` in an Error body, as the contract's ApplicationSubmissionError shows it. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** A request that is answered with an Error body; thrown by any step. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    more: { errors?: readonly FieldError[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
  }
}
