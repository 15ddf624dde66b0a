import type { CaseState, Sent, State } from "../api.ts";
import { agreementInWords, answerView } from "./answer.ts";
import { caseView } from "./case.ts";
import { button, element, fill } from "./dom.ts";
import { createEditor, type Editor } from "./editor.ts";
import { createJudging } from "./judging.ts";
import { type Key, keyHelp, listenToKeys } from "./keys.ts";
import { createList } from "./list.ts";
import { createSending } from "./sending.ts";
import { createSent } from "./sent.ts";
import { server } from "./server.ts";
import { setupView } from "./setup.ts";
import { createVoice } from "./voice.ts";

/** Draws the page. What it shows comes from the server, and each part is drawn anew when that changes. */
function start(first: State): void {
  let state = first;
  /** The id of the case that is shown. */
  let opened: string | undefined;

  const voice = createVoice();
  const list = createList((found) => voice.say(found));
  const setup = element("div", { class: "setup" });
  const shownCase = element("div", { class: "opened" });
  const answer = element("div", { class: "result" });
  const judging = createJudging(voice, first.judging, allow, (judged) => {
    if (judged) take(judged);
    draw();
  });
  const send = createSending(voice, allow, (sent) => {
    state = { ...state, sent: [...state.sent, sent] };
    sentList.show(state.sent);
    voice.say(agreementInWords(sent));
    showAnswer(sent);
  });
  const sentList = createSent({
    open: showAnswer,
    repeat: (one) => send(one.edited, one.from),
    edit(one) {
      editor?.set(one.edited);
      editor?.focus();
    },
  });
  const editor: Editor | undefined =
    first.profile &&
    createEditor(first.profile, { send: (edited) => send(edited, opened), begin: beginWith }, [
      voice.asked,
      answer,
    ]);

  function draw(): void {
    list.show(state.rules, judging.cases, opened);
    sentList.show(state.sent);
    fill(
      setup,
      setupView(state, () => void voice.attempt(allow)),
    );
    editor?.allowSending(state.sending.on);
    judgeAll.disabled = !state.sending.on;
  }

  async function allow(): Promise<void> {
    state = await server.allow({ commands: true });
    draw();
    voice.say("The commands of the profile may run.");
  }

  /** Begins with a good request for an operation. */
  function beginWith(operation: string): void {
    void voice.attempt(async () => {
      const { edited, lacks } = await server.start(operation);
      editor?.set(edited, lacks);
    });
  }

  /** Shows a case, and puts its probe into the form. */
  async function openCase(id: string): Promise<void> {
    const one = await drawCase(id);
    list.show(state.rules, judging.cases, opened);
    editor?.offer(one);
    const begin = one.start.probe ?? one.start.control;
    if (begin) editor?.set(begin.edited, begin.lacks);
    document.getElementById("case")?.focus();
  }

  async function drawCase(id: string): ReturnType<typeof server.case> {
    const one = await server.case(id);
    opened = id;
    const view = caseView(one, state.sending.on, {
      judgeCase: () => judging.judge({ cases: [id] }),
      judgeRule: () => judging.judge({ rules: [one.rule.id] }),
      edit:
        editor &&
        (({ edited, lacks }) => {
          editor.set(edited, lacks);
          editor.focus();
        }),
    });
    // Whoever has just judged the case can do so again.
    const focused = shownCase.contains(document.activeElement) && document.activeElement;
    fill(shownCase, view);
    const again = [...shownCase.querySelectorAll("button")].find(
      ({ textContent }) => focused && focused.textContent === textContent,
    );
    again?.focus();
    return one;
  }

  /** Takes the new outcome of a case. */
  function take(judged: CaseState): void {
    const rules = state.rules.map((rule) => ({
      ...rule,
      cases: rule.cases.map((one) => (one.id === judged.id ? judged : one)),
    }));
    state = { ...state, rules };
    if (judged.id === opened) void voice.attempt(async () => void (await drawCase(judged.id)));
  }

  function showAnswer(sent: Sent): void {
    fill(
      answer,
      answerView(sent, (as) => server.export({ number: sent.number, as })),
    );
    answer.scrollIntoView({ block: "nearest" });
  }

  /** Goes to the case in the address. */
  function follow(): void {
    const id = decodeURIComponent(location.hash.slice(1));
    if (id !== "") void voice.attempt(() => openCase(id));
  }

  const judgeAll = button("Judge all that failed again", () => judging.judge({ failed: true }));
  const keys: readonly Key[] = [
    { key: "/", does: "search", act: () => list.search() },
    { key: "j", does: "next case", act: () => list.move(1) },
    { key: "k", does: "previous case", act: () => list.move(-1) },
    { key: "Enter", does: "open it" },
    {
      key: "r",
      does: "judge it again",
      act() {
        const id = list.focused() ?? opened;
        if (id !== undefined) judging.judge({ cases: [id] });
      },
    },
    { key: "e", does: "edit what differs", act: () => editor?.focus() },
  ];
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
          `${state.report.verdictText} `,
          element("a", { href: "report" }, "The whole report"),
        ),
      ),
      judgeAll,
      keyHelp(keys),
    ),
    element(
      "div",
      { class: "bench" },
      list.root,
      element(
        "main",
        {},
        setup,
        shownCase,
        editor?.root ?? [voice.asked, answer],
        sentList.root,
        voice.status,
      ),
    ),
  );

  editor?.offer();
  draw();
  listenToKeys(keys);
  addEventListener("hashchange", follow);
  const lost = (): void => voice.say("The command that serves this page does not answer.");
  server.listen((event) => {
    if (event.type !== "hello") return judging.hear(event);
    void voice.attempt(async () => {
      state = await server.state();
      draw();
    });
  }, lost);
  follow();
  const [operation] = first.profile?.operations ?? [];
  if (location.hash === "" && first.sending.on && operation) beginWith(operation.id);
}

server.state().then(start, (error: Error) => {
  const problem = element("p", { role: "alert" }, error.message);
  document.body.replaceChildren(element("main", {}, problem));
});
