import type { Operation } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import type { TokenForm } from "../tokens/draft.ts";
import type { Finding } from "./finding.ts";
import type { PathParams } from "./request.ts";

/** A good request for an operation that the deployment accepted: what probes differ from. */
export interface Control {
  readonly operation: Operation;
  readonly form: TokenForm;
  readonly place: PathParams;
  /** It was sent as an ordinary client sends it, without the suite's marks. */
  readonly unmarked?: boolean;
  /** The accepted answer. */
  readonly reply: Reply;
  /** The exchange of the last time that it was accepted. */
  readonly exchange: string;
}

/** No good request was found: why, and what the deployment said to the plainest one. */
export interface Refusal {
  readonly finding: Finding;
  readonly reply?: Reply | undefined;
}

export type ControlResult = { control: Control } | { refusal: Refusal };
