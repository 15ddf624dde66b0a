import type { Operation } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import type { TokenForm } from "../../tokens/draft.ts";
import type { Finding } from "../finding.ts";
import type { PathParams } from "../request.ts";

/** A good request for an operation that the deployment accepted. Probes differ from it. */
export interface Control {
  readonly operation: Operation;
  readonly form: TokenForm;
  readonly place: PathParams;
  /** Whether it was sent as by an ordinary client, without the suite's marks. */
  readonly unmarked?: boolean;
  readonly reply: Reply;
  /** The exchange in which it was last accepted. */
  readonly exchange: string;
}

/** Why no good request was found, and the answer to the plainest one. */
export interface Refusal {
  readonly finding: Finding;
  readonly reply?: Reply | undefined;
}

export type ControlResult = { control: Control } | { refusal: Refusal };

/** The result of an operation without a control. */
export function refusal(finding: Finding, reply?: Reply): { refusal: Refusal } {
  return { refusal: { finding, reply } };
}
