import { describe, expect, it } from "vitest";

import { errorFacts } from "../../../src/engine/conclusion/facts/errors.ts";
import { type ErrorAnswer, judgeErrorBody } from "../../../src/probe/errors/error-record.ts";
import { inWords } from "../../../src/probe/phrase.ts";

function answer(status: number, body: object | undefined, type = "application/json"): ErrorAnswer {
  const judged = judgeErrorBody({
    status,
    headers: { "content-type": type },
    hasBody: true,
    cut: false,
    json: () => body,
  });
  return { ...judged, operation: "viewOrganization", exchange: "x" } as ErrorAnswer;
}

function said(rule: string, of: (status: number) => ErrorAnswer): string[] {
  return errorFacts(rule, [401, 403, 404, 404, 422].map(of)).map(inWords);
}

describe("what is wrong with error answers, as the run shows it", () => {
  it("names the member that is missing, and what is in its place", () => {
    expect(
      said("errors.shape", (status) => answer(status, { status, title: "no", errors: [] })),
    ).toEqual(["In all 5 error answers, `message` is missing; there is `title` (string)"]);
  });

  it("names the statuses to which it is limited", () => {
    expect(
      said("errors.status", (status) =>
        answer(status, { status: status > 403 ? 400 : status, message: "no", errors: [] }),
      ),
    ).toEqual([
      "In every error answer with 404 or 422, `status` in the body is 400; not in those with 401 or 403",
    ]);
  });

  it("counts where no status and no operation tells them apart", () => {
    let times = 0;
    const sometimes = (status: number): ErrorAnswer =>
      answer(status, { status, message: "no", errors: ++times === 3 ? null : [] });
    expect(said("errors.shape", sometimes)).toEqual([
      "In 1 of 5 error answers, with 404, `errors` must be an array, but is null",
    ]);
  });

  it("names the media type that is no JSON", () => {
    expect(
      said("errors.media-type", (status) =>
        answer(status, { status, message: "no", errors: [] }, "text/plain"),
      ),
    ).toEqual(["In all 5 error answers, `Content-Type` is text/plain"]);
  });
});
