import { counted } from "../../lib/words.ts";
import type { Report } from "../report.ts";

const ENDS: Readonly<Record<NonNullable<Report["exploration"]>["endedBy"], string>> = {
  requests: "",
  time: ", until its time was over",
  interrupted: ", until it was interrupted",
  "not possible": ": this deployment leaves nothing to explore",
};

/** What exploration did, as sentences; empty where the run did not explore. */
export function explorationText({ exploration }: Pick<Report, "exploration">): string[] {
  if (!exploration) return [];
  const { drawn, judged, requests, found, alike, endedBy } = exploration;
  const more = alike > 0 ? `, and ${alike} more like them` : "";
  return [
    `Exploration: ${judged} of ${counted(drawn, "drawn case")} judged with ${counted(requests, "request")}${ENDS[endedBy]}. ${found === 0 && alike === 0 ? "No violation" : counted(found, "violation")} found that no case lists${more}.`,
  ];
}
