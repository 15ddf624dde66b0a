import { reportFrom } from "../../src/report/json.ts";
import type { Report } from "../../src/report/report.ts";
import { runAgainstReference } from "../support/run-against.ts";

let made: Promise<Report> | undefined;

/** The report of a run with passes, failures, observations and cases that the profile has nothing for. */
export function realRun(): Promise<Report> {
  made ??= runAgainstReference(
    { faults: ["expiry-unchecked"], variants: ["unbound-refused"] },
    {
      patterns: [
        "receiver.{expiry,binding,binding-list,local-policy}/*@viewOrganization",
        "errors.media-type",
      ],
      profile: { denied: null },
    },
  ).then(({ events }) => reportFrom(events));
  return made;
}
