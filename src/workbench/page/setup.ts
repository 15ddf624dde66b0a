import type { State } from "../api.ts";
import { button, type Child, element } from "./dom.ts";

/** Why nothing can be sent, and the commands of the profile, which run only after a click. */
export function setupView({ sending, profile, report, watching }: State, allow: () => void): Child {
  const notices: Child[] = [];
  if (!sending.on) notices.push(notice("Sending is off", element("p", {}, sending.because)));
  if (profile?.otherThanReport === true) {
    const text = `The report is of ${report.baseUrl}, and the profile of ${profile.baseUrl}. Requests go to the profile's.`;
    notices.push(notice("Another deployment", element("p", {}, text)));
  }
  if (profile && profile.commands.length > 0 && !profile.commandsAllowed) {
    notices.push(notice("The profile has commands", commandsView(profile.commands, allow)));
  }
  if (watching) {
    const text = `Cases are judged again when a file in ${watching.folder} changes${watching.writes ? "" : ", but none that writes"}.`;
    notices.push(element("p", { class: "quiet" }, text));
  }
  return notices;
}

/** The commands, and the button that lets them run. */
export function commandsView(commands: readonly (readonly string[])[], allow: () => void): Child {
  return [
    element("p", {}, "These commands of the profile make tokens. None has run yet."),
    element(
      "ul",
      {},
      commands.map((words) => element("li", {}, element("code", {}, words.join(" ")))),
    ),
    button("Let these commands run", allow),
  ];
}

export function notice(title: string, content: Child): HTMLElement {
  return element(
    "div",
    { class: "notice set-up" },
    element("p", { class: "problem" }, title),
    content,
  );
}
