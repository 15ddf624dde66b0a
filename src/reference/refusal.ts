/** One entry of `errors` in an Error body, as in the contract's ApplicationSubmissionError. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** Any step throws this to answer a request with an Error body. */
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
