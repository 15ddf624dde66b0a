import { expect, test } from "vitest";

import type { RunFinished } from "../../src/engine/events.ts";
import { inWords } from "../../src/probe/phrase.ts";
import { worded } from "../support/worded.ts";
import { accepting, type Behaviour, PRIMARY, refusal, refusing, runTiny } from "./tiny.ts";

const LEFT_BEHIND = "resources.edit/left-behind";

test("a 409 to every request below an organization is no fault of the set-up", async () => {
  const { finished } = await runTiny([refusing(["listOrganizations", "viewOrganization"])], {
    behaviour: ({ organization }) => (organization === undefined ? undefined : refusal(409)),
  });
  expect(finished.setup).toEqual([]);
});

/** What a run says of answers that a limit or an outage gave. */
function unavailable({ observations }: RunFinished): string[] {
  return observations
    .filter(({ id }) => id === "answers.unavailable")
    .map(({ value }) => inWords(value));
}

test("answers of an outage are counted, though every request is sent again and judged", async () => {
  let calls = 0;
  const away = { status: 503, headers: { "retry-after": "0" } };
  const ran = await runTiny([refusing()], {
    behaviour: ({ isBad }) => (isBad && (calls += 1) % 2 === 1 ? away : undefined),
  });
  expect(Object.values(ran.outcomes)).not.toContain("inconclusive");
  expect(unavailable(ran.finished)).toEqual([expect.stringMatching(/^503\b.*, of \d+ answers$/)]);
  expect(unavailable((await runTiny([refusing()])).finished)).toEqual([]);
});

test("a failure is not listed as an observation", async () => {
  const { finished } = await runTiny([refusing()], {
    behaviour: ({ isBad }) => (isBad ? { status: 200, body: {} } : undefined),
  });
  const ids = finished.observations.map(({ id }) => id);
  expect(ids.filter((id) => id.startsWith("tiny."))).toEqual([]);
});

/** Shows the last edit, and answers the restoring edit with a status. */
function editable(cleanUp: number): Behaviour {
  let mission = "as before";
  return ({ operation, body, caseId: name, claims }) => {
    if (!claims) return undefined;
    if (operation === "viewOrganization") return { status: 200, body: { id: PRIMARY, mission } };
    if (operation !== "editOrganization") return undefined;
    if (name.endsWith("/set-back") && cleanUp !== 200) return refusal(cleanUp);
    mission = (JSON.parse(body) as { mission: string }).mission;
    return { status: 200, body: { id: PRIMARY } };
  };
}

/** The observation of what a run has left behind. */
async function leftBehind(cleanUp: number): Promise<string | undefined> {
  const { finished } = await runTiny([accepting(["editOrganization"])], {
    behaviour: editable(cleanUp),
    patienceMs: 0,
  });
  const seen = finished.observations.find(({ id }) => id === LEFT_BEHIND);
  return seen && inWords(seen.value);
}

test("a refused edit that should restore a value is reported with its status", async () => {
  expect(await leftBehind(409)).toContain("not restored: 409 Conflict");
  expect(await leftBehind(200)).not.toContain("not restored");
});

test("edits that are not JSON objects are not restored, and that is reported", async () => {
  const { finished } = await runTiny([accepting(["editOrganization"])], {
    profile: {
      operations: {
        editOrganization: { contentType: "text/plain", body: "conformance ${unique}" },
      },
    },
  });
  const told = finished.observations.find(({ id }) => id === LEFT_BEHIND);
  expect(told && worded(told.value)).toContain("their body is not a JSON object");
});
