import { audience } from "../checks/audience.ts";
import { also, type Mistake } from "./mistake.ts";
import { textMistakes } from "./texts.ts";

/** Wrong checks of `aud` (Receiver checks 3). */
export const AUDIENCE: readonly Mistake[] = [
  ...textMistakes({
    claim: "aud",
    stem: "audience",
    check: "audience",
    right: audience,
    wanted: ({ known }) => (known.audience === undefined ? [] : [known.audience]),
  }),
  {
    fault: "audience-issuer",
    behaves: "accepts the issuer in `aud`",
    look: "The call passes the issuer's URL as the expected audience too.",
    checks: {
      audience: also(audience, ({ token, known: { issuers = [] } }) =>
        issuers.some(({ url }) => url === token?.claims?.["aud"]),
      ),
    },
  },
  {
    fault: "audience-azp-in-its-place",
    behaves: "reads `azp` if there is no `aud`",
    look: "The code takes `azp` or `client_id` where `aud` is missing.",
    checks: {
      audience: also(
        audience,
        ({ token, known }) =>
          token?.claims?.["aud"] === undefined && token?.claims?.["azp"] === known.audience,
      ),
    },
  },
];
