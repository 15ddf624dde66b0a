import { groupBy } from "../../lib/group-by.ts";
import { counted } from "../../lib/words.ts";
import type { CaseState, JudgeRequest, WorkbenchEvent } from "../api.ts";
import { element } from "./dom.ts";
import { server } from "./server.ts";
import { commandList } from "./setup.ts";
import type { Voice } from "./voice.ts";

/** Judges cases again, and hears how that goes. */
export interface Judging {
  /** The cases that are being judged. */
  readonly cases: ReadonlySet<string>;
  judge(request: JudgeRequest): void;
  hear(event: WorkbenchEvent): void;
}

/**
 * @param allow lets the commands of the profile run
 * @param onChange is told of every case with its new outcome, and without one when it begins or ends
 */
export function createJudging(
  voice: Voice,
  underWay: readonly string[],
  allow: () => Promise<void>,
  onChange: (judged?: CaseState) => void,
): Judging {
  const cases = new Set(underWay);
  let results = new Map<string, CaseState>();

  async function judge(request: JudgeRequest): Promise<void> {
    voice.clear();
    const came = await server.judge(request);
    switch (came.is) {
      case "started":
        return;
      case "needs-confirmation": {
        const names = came.cases.map((id) => element("li", {}, element("code", {}, id)));
        return voice.ask(
          "These cases may write",
          element("ul", {}, names),
          {
            words: "Judge them, writes too",
            act: () => void voice.attempt(() => judge({ ...request, confirmed: true })),
          },
          {
            words: "Judge only those that read",
            act: () => void voice.attempt(() => judge({ ...request, readsOnly: true })),
          },
        );
      }
      case "needs-commands":
        return voice.ask("It needs commands of the profile", commandList(came.commands), {
          words: "Let these commands run",
          act: () => void voice.attempt(() => allow().then(() => judge(request))),
        });
      case "refused":
        return voice.refuse("Nothing was judged", came);
    }
  }

  function end(problem: string | undefined, hint: string | undefined): void {
    const words = results.size === 0 ? "Nothing was judged" : inWords([...results.values()]);
    if (problem === undefined) voice.say(words);
    else voice.refuse(words, { because: problem, hint });
  }

  return {
    cases,
    judge: (request) => void voice.attempt(() => judge(request)),
    hear(event) {
      switch (event.type) {
        case "hello":
          return;
        case "changed":
          return voice.say("A file changed.");
        case "judging":
          results = new Map();
          for (const id of event.cases) cases.add(id);
          voice.say(`${counted(event.cases.length, "case")} being judged …`);
          return onChange();
        case "judged":
          results.set(event.case.id, event.case);
          cases.delete(event.case.id);
          return onChange(event.case);
        case "idle":
          cases.clear();
          onChange();
          return end(event.problem, event.hint);
      }
    },
  };
}

/** `Judged 3 cases: 2 pass, 1 fail.` */
function inWords(results: readonly CaseState[]): string {
  const groups = groupBy(results, ({ now, outcome }) => now ?? outcome);
  const tally = [...groups].map(([outcome, some]) => `${some.length} ${outcome}`).join(", ");
  return `Judged ${counted(results.length, "case")}${tally === "" ? "" : `: ${tally}`}.`;
}
