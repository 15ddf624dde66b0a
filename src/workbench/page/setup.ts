import type { State } from "../api.ts";
import { button, type Child, element } from "./dom.ts";
import { notice } from "./voice.ts";

/** Why nothing can be sent, and the commands of the profile, which run only after a click. */
export function setupView(
  { sending, profile, report, watching }: State,
  allow: () => void,
): readonly Child[] {
  const waits = profile && profile.commands.length > 0 && !profile.commandsAllowed;
  return [
    !sending.on && notice("Nothing can be sent", element("p", {}, sending.because)),
    profile?.otherThanReport === true &&
      notice(
        "Another deployment",
        element(
          "p",
          {},
          `The report is of ${report.baseUrl}. Requests go to that of the profile, ${profile.baseUrl}.`,
        ),
      ),
    waits &&
      notice("The profile has commands", [
        commandList(profile.commands),
        button("Let these commands run", allow),
      ]),
    watching &&
      element(
        "p",
        { class: "quiet" },
        `Cases are judged again when a file in ${watching.folder} changes${watching.writes ? "" : ", but none that writes"}.`,
      ),
  ];
}

/** The commands of a profile, which have not run. */
export function commandList(commands: readonly (readonly string[])[]): Child {
  return [
    element("p", {}, "The profile names these commands. None has run yet."),
    element(
      "ul",
      {},
      commands.map((words) => element("li", {}, element("code", {}, words.join(" ")))),
    ),
  ];
}
