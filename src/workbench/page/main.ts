import { counted } from "../../lib/words.ts";
import type { CaseState, Edited, WorkbenchEvent, JudgeRequest, Sent } from "../api.ts";
import { answerView } from "./answer.ts";
import { caseView } from "./case.ts";
import { button, type Child, element, fill } from "./dom.ts";
import { createEditor, type Editor } from "./editor.ts";
import { type Key, keyHelp, listenToKeys } from "./keys.ts";
import { createList } from "./list.ts";
import { createSent } from "./sent.ts";
import { Refusal, server } from "./server.ts";
import { commandsView, notice, setupView } from "./setup.ts";

/** The page: what it knows comes from the server, and each part of it is drawn from that. */
async function start(): Promise<void> {
  let state = await server.state();
  let opened: string | undefined;
  let judging = new Set(state.judging);

  const status = element("p", { role: "status", class: "status" });
  const say = (words: string): void => fill(status, words);
  const list = createList(say);
  const setup = element("div", { class: "setup" });
  const head = element("div", { class: "opened" });
  const asked = element("div", { class: "asked" });
  const answer = element("div", { class: "result", "aria-live": "polite" });
  const sentList = createSent({
    open: (one) => showAnswer(one),
    repeat: (one) => void send(one.edited, one.from),
    edit(one) {
      editor?.set(one.edited);
      editor?.focus();
    },
  });
  const editor: Editor | undefined =
    state.profile &&
    createEditor(state.profile, {
      send: (edited) => void send(edited, opened),
      begin: (operation) =>
        void attempt(async () => {
          editor?.set(await server.start(operation));
        }),
    });

  function draw(): void {
    list.show(state.rules, judging, opened);
    sentList.show(state.sent);
    fill(
      setup,
      setupView(state, () => void allow()),
    );
    editor?.allowSending(state.sending.on);
    judgeAll.disabled = !state.sending.on;
  }

  /** Does something that the server may refuse, and then says why. */
  async function attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      say(error.hint === undefined ? error.message : `${error.message} ${error.hint}`);
    }
  }

  async function openCase(id: string, isNew: boolean): Promise<void> {
    await attempt(async () => {
      const one = await server.case(id);
      opened = id;
      const actions = {
        judgeCase: () => void judge({ cases: [id] }),
        judgeRule: () => void judge({ rules: [one.rule.id] }),
      };
      fill(head, caseView(one, state.sending.on, actions));
      list.show(state.rules, judging, opened);
      editor?.offer(one.start);
      if (!isNew) return;
      const first = one.start.probe ?? one.start.control;
      if (first) editor?.set(first.edited, first.lacks);
      document.title = `${id} · workbench`;
      document.getElementById("case")?.focus();
    });
  }

  async function send(edited: Edited, from: string | undefined, confirmed?: true): Promise<void> {
    await attempt(async () => {
      fill(asked);
      say("Sending …");
      const request = { edited, ...(from !== undefined && { from }) };
      const came = await server.send({ ...request, ...(confirmed && { confirmed }) });
      switch (came.is) {
        case "sent":
          state = { ...state, sent: [...state.sent, came.sent] };
          sentList.show(state.sent);
          say(`No. ${came.sent.number} was sent.`);
          return showAnswer(came.sent);
        case "needs-confirmation":
          say("It waits for your word.");
          return ask("This may write", [
            element("p", {}, came.because),
            element("p", {}, `${counted(came.writesLeft, "write")} may still be accepted.`),
            button("Send this write", () => void send(edited, from, true)),
            cancelButton(),
          ]);
        case "needs-commands":
          return askForCommands(came.commands, () => void send(edited, from, confirmed));
        case "refused":
          return refuse("It was not sent", came);
      }
    });
  }

  async function judge(request: JudgeRequest): Promise<void> {
    await attempt(async () => {
      fill(asked);
      const came = await server.judge(request);
      switch (came.is) {
        case "started":
          return;
        case "needs-confirmation":
          return ask("These cases write", [
            element(
              "ul",
              {},
              came.cases.map((id) => element("li", {}, element("code", {}, id))),
            ),
            button("Judge them again", () => void judge({ ...request, confirmed: true })),
            cancelButton(),
          ]);
        case "needs-commands":
          return askForCommands(came.commands, () => void judge(request));
        case "refused":
          return refuse("Nothing was judged", came);
      }
    });
  }

  async function allow(): Promise<void> {
    await attempt(async () => {
      state = await server.allow({ commands: true });
      draw();
      say("The commands of the profile may run.");
    });
  }

  /** Asks before something happens; the question gets the focus. */
  function ask(title: string, content: Child): void {
    const question = notice(title, content);
    fill(asked, question);
    question.querySelector("button")?.focus();
  }

  function askForCommands(commands: readonly (readonly string[])[], again: () => void): void {
    ask("It needs commands of the profile", [
      commandsView(commands, () => void allow().then(again)),
      cancelButton(),
    ]);
  }

  function refuse(
    title: string,
    { because, hint }: { because: string; hint?: string | undefined },
  ): void {
    say(title);
    fill(
      asked,
      notice(title, [element("p", {}, because), hint !== undefined && element("p", {}, hint)]),
    );
  }

  function cancelButton(): HTMLElement {
    return button("Cancel", () => fill(asked));
  }

  function showAnswer(sent: Sent): void {
    fill(
      answer,
      answerView(sent, (as) => server.export({ number: sent.number, as })),
    );
    answer.scrollIntoView({ block: "nearest" });
  }

  function hear(event: WorkbenchEvent): void {
    switch (event.type) {
      case "hello":
        return void attempt(async () => {
          state = await server.state();
          judging = new Set(state.judging);
          draw();
        });
      case "changed":
        return say("A file changed.");
      case "judging":
        judging = new Set(event.cases);
        say(`${counted(event.cases.length, "case")} being judged …`);
        return draw();
      case "judged":
        judging.delete(event.case.id);
        return take(event.case);
      case "idle":
        judging = new Set();
        draw();
        return say([event.problem ?? "Judged.", event.hint].filter(Boolean).join(" "));
    }
  }

  /** A case with its new outcome. */
  function take(one: CaseState): void {
    const withNew = (cases: readonly CaseState[]): CaseState[] =>
      cases.map((former) => (former.id === one.id ? one : former));
    const rules = state.rules.map((rule) => ({ ...rule, cases: withNew(rule.cases) }));
    state = { ...state, rules };
    draw();
    if (one.id === opened) void openCase(one.id, false);
  }

  function follow(): void {
    const id = decodeURIComponent(location.hash.slice(1));
    if (state.rules.some(({ cases }) => cases.some((one) => one.id === id)))
      void openCase(id, true);
  }

  const judgeAll = button("Judge all that failed again", () => void judge({ failed: true }));
  const keys: readonly Key[] = [
    { key: "/", does: "search", act: () => list.search() },
    { key: "j", does: "next case", act: () => list.move(1) },
    { key: "k", does: "previous case", act: () => list.move(-1) },
    { key: "Enter", does: "open it" },
    {
      key: "r",
      does: "judge it again",
      act: () => opened !== undefined && void judge({ cases: [opened] }),
    },
    { key: "e", does: "edit the request", act: () => editor?.focus() },
  ];
  listenToKeys(keys);
  addEventListener("hashchange", follow);
  document.body.replaceChildren(
    element(
      "header",
      {},
      element(
        "div",
        {},
        element("h1", {}, "Workbench: ", element("code", {}, state.report.baseUrl)),
        element(
          "p",
          {},
          state.report.verdictText,
          " ",
          element("a", { href: "report" }, "The whole report"),
        ),
      ),
      element("p", { class: "buttons" }, judgeAll),
      keyHelp(keys),
      status,
    ),
    element(
      "div",
      { class: "bench" },
      list.root,
      element("main", {}, setup, head, editor?.root, asked, answer, sentList.root),
    ),
  );
  editor?.offer({});
  draw();
  server.listen(hear, () => say("The connection to the command is lost."));
  follow();
}

void start().catch((error: unknown) => {
  fill(
    document.body,
    element("main", {}, element("p", { role: "alert" }, (error as Error).message)),
  );
});
