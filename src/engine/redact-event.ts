import { type Redactor, redactTexts } from "../http/recording/redact.ts";
import { mapPhrase, type Phrase } from "../probe/phrase.ts";
import type { RunEvent } from "./events.ts";

/**
 * Redacts an event: every text that the profile or the deployment may have influenced. Rules judge answers as they
 * came, so this comes after judging. Exchanges are redacted when they are captured.
 */
export function redactEvent<E extends RunEvent>(event: E, redact: Redactor): E;
export function redactEvent(event: RunEvent, redact: Redactor): RunEvent {
  const said = (one: Phrase): Phrase => mapPhrase(one, redact);
  const clean = <T>(value: T): T => redactTexts(value, redact);
  switch (event.type) {
    case "run-started":
      return { ...event, target: clean(event.target) };
    case "case-failing":
    case "case-judged": {
      const { reason, expected, actual, evidence } = event.result;
      const { title, differences } = clean({
        title: event.result.title,
        differences: evidence?.differences,
      });
      return {
        ...event,
        result: {
          ...event.result,
          title,
          reason: reason && said(reason),
          expected: expected && said(expected),
          actual: actual && said(actual),
          evidence: evidence && { ...evidence, differences },
        },
      };
    }
    case "run-finished": {
      const { setup, facts, observations, suiteErrors } = event;
      return {
        ...event,
        setup: clean(setup),
        facts: facts.map((one) =>
          one.says
            ? { ...one, says: said(one.says) }
            : { ...one, accepts: said(one.accepts), refuses: said(one.refuses) },
        ),
        observations: observations.map((one) => ({ ...one, value: said(one.value) })),
        suiteErrors: clean(suiteErrors),
      };
    }
    case "run-planned":
      return { ...event, plan: clean(event.plan) };
    case "exchange":
    case "case-ran":
      return event;
  }
}
