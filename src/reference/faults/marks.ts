import { type Call, CHECK_NAMES } from "../model.ts";
import { accepting } from "../received.ts";
import { type Fault, passing, trusted } from "./fault.ts";

/** Faults that show only in requests that do not say that they are the suite's. */

const isMarked = ({ headers }: Call): boolean =>
  /conformance/.test(String(headers["user-agent"])) || headers["conformance-case"] !== undefined;

const how =
  "It was switched on for the traffic of the tests first, and for everything else it only writes a log.";

export const MARK_FAULTS: readonly Fault[] = [
  {
    name: "unmarked-trusted",
    title: "Asks nothing of a request that does not come from this suite",
    rule: "receiver.token-required",
    how,
    step: "checks",
    patch: () => (call) => (isMarked(call) ? CHECK_NAMES : trusted(call)),
  },
  {
    name: "unmarked-scope-unchecked",
    title: "Does not ask for the scope in a request that does not come from this suite",
    rule: "receiver.scope",
    how,
    step: "checkScope",
    patch: passing((call) => !isMarked(call)),
  },
  {
    name: "unmarked-signature-unchecked",
    title: "Does not verify signatures in a request that does not come from this suite",
    rule: "receiver.signature",
    how,
    step: "verifySignature",
    patch: accepting((_token, call) => !isMarked(call)),
  },
];
