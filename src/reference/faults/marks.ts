import { passing } from "../check-patches.ts";
import { type Call, CHECK_NAMES } from "../model.ts";
import { accepting } from "../received.ts";
import { type Fault, trusted } from "./fault.ts";

const isMarked = ({ headers }: Call): boolean =>
  /conformance/.test(String(headers["user-agent"])) || headers["conformance-case"] !== undefined;

const how =
  "The check was enabled first for the test traffic, and only logs for all other traffic.";

/** Faults that show only in requests without the suite's marks. */
export const MARK_FAULTS: readonly Fault[] = [
  {
    name: "unmarked-trusted",
    title: "Requires no token in a request that does not come from this suite",
    rule: "receiver.token-required",
    how,
    checks: () => (call) => (isMarked(call) ? CHECK_NAMES : trusted(call)),
  },
  {
    name: "unmarked-scope-unchecked",
    title: "Does not check the scope in a request that does not come from this suite",
    rule: "receiver.scope",
    how,
    checkScope: passing((call) => !isMarked(call)),
  },
  {
    name: "unmarked-signature-unchecked",
    title: "Does not verify signatures in a request that does not come from this suite",
    rule: "receiver.signature",
    how,
    verifySignature: accepting((_token, call) => !isMarked(call)),
  },
];
