import { expect, test } from "vitest";

import type { TokenResponse } from "../../src/authorization-server/protocol/token-request.ts";
import type { IssuedToken } from "../../src/authorization-server/tokens/issued.ts";
import { inWords } from "../../src/probe/phrase.ts";
import { refusedInTurn } from "../../suites/authorization-server/exchange/refused-in-turn.ts";

const control = { exchange: "control" } as unknown as IssuedToken;
const WRONG = ["an empty one", "a longer one", "another one"];

function response(exchange: string, accessToken?: string): TokenResponse {
  const answer = { status: accessToken ? 200 : 400, reply: { exchange: {} } };
  return { answer, exchange, accessToken } as unknown as TokenResponse;
}

test.for<[who: string, unattended: boolean, burns: boolean, consents: number, reason?: string]>([
  ["a program, once, while the grant stays valid", true, false, 1],
  ["a program, for each request that ends the grant", true, true, 3],
  ["a person, once, while the grant stays valid", false, false, 1],
  ["a person, once, where a request ends the grant", false, true, 1, "only an empty one was"],
])("consent is given by %s", async ([, unattended, burns, consents, reason]) => {
  let asked = 0;
  const sent: string[] = [];
  const found = await refusedInTurn(
    WRONG.map((what) => ({
      what,
      send: () => {
        sent.push(what);
        return Promise.resolve(response(what));
      },
    })),
    control,
    {
      obtain: () => Promise.resolve((asked += 1)),
      sendGood: () => Promise.resolve(response("good", burns ? undefined : "token")),
      unattended,
    },
  );
  expect(found.kind).toBe("pass");
  expect(asked).toBe(consents);
  expect(new Set(sent)).toEqual(new Set(WRONG));
  const said = "reason" in found && found.reason ? inWords(found.reason) : "";
  expect(said).toContain(reason ?? "");
});
