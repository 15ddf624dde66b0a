import { DOCUMENT_FAULTS } from "../../src/reference/faults/documents.ts";
import type { Showing } from "./access-showings.ts";

const described = DOCUMENT_FAULTS.filter(({ step }) => step === "document");

/** What shows the faults of the receiver's document: the document itself, or an answer; see `faults.test.ts`. */
export const DOCUMENT_SHOWINGS: Readonly<Record<string, Showing>> = {
  ...Object.fromEntries(
    described.map(({ name }): [string, Showing] => [
      name,
      () => ({ path: "/openapi.json", authorization: null }),
    ]),
  ),
  "answers-undocumented-status": () => ({ operation: "submitChange" }),
  "answers-undocumented-null": () => ({ operation: "readChange" }),
  "answers-undocumented-type": () => ({ operation: "viewOrganization" }),
  "errors-undocumented-member": () => ({ authorization: null }),
};
