import { readFixture } from "./fixture.ts";

/** The words of the contract, of its document and of the sentences that rules verify, as one text. */
export const contractWords: string = JSON.stringify([
  readFixture("requirements.yaml"),
  readFixture("openapi.yaml"),
]);
