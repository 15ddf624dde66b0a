import { fails, open, type Outcome, passes, should } from "../outcome.ts";
import type { Check } from "../question.ts";
import { queryOf } from "../request.ts";

const SENTENCES: Readonly<Record<string, string>> = {
  page: "models.query.page.bounds",
  pageSize: "models.query.page-size.bounds",
};
/** The greatest `page` and `pageSize`. */
export const GREATEST = 2_147_483_647;

/** `page` and `pageSize` are integers from 1 to 2147483647, and there is no other parameter (PaginatedQueryParams). */
export const parameters: Check = ({ known, reading, request }): Outcome | undefined => {
  if (!request.target.includes("?")) return undefined;
  const sent = queryOf(request);
  const names = sent.map(([name]) => name);
  const isPaginated = known.operations[reading.operation.id]?.paginated === true;
  if (!isPaginated || new Set(names).size < names.length)
    return open("query", "endpoints.paginated-routes");
  const unknown = names.find((name) => !Object.hasOwn(SENTENCES, name));
  const outcomes = sent.flatMap(([name, value]) =>
    Object.hasOwn(SENTENCES, name) ? inBounds(name, value) : [],
  );
  const failed = outcomes.find(({ is }) => is === "fails");
  if (failed) return failed;
  if (unknown !== undefined)
    return should("models.query.closed", "unknown parameter", { name: unknown });
  return outcomes.find(({ is }) => is === "open") ?? passes("models.query.purpose");
};

function inBounds(name: string, value: string): Outcome {
  const sentence = SENTENCES[name] ?? "";
  if (/^[1-9]\d*$/.test(value) && Number(value) <= GREATEST) return passes(sentence);
  // Other spellings of an integer, such as 01, +1, 1.0 and 1e1.
  const number = value.trim() === "" ? Number.NaN : Number(value.trim());
  const isSpelled = Number.isInteger(number) && number >= 1 && number <= GREATEST;
  return isSpelled || value.trim() === ""
    ? open("query", sentence, { name, value })
    : fails(sentence, "out of bounds", { name, value });
}
