import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import type { Facts } from "./facts.ts";

/** What a case may need of a profile, named by the key that provides it. */
export type Need =
  | "claimsNamespace"
  | "testIssuer.serve"
  | "denied"
  | "writes"
  | "testIssuer"
  | "authorizationServer"
  | "authorizationServer.probes"
  | "authorizationServer.clients"
  | "tokens.command"
  | `organizations.${"primary" | "other"}`
  | "operations.readChange.changeId"
  | `operations.${OperationId}.${"body" | "invalidBody"}`
  | `\${unique} in operations.${OperationId}.body`;

type Condition = (facts: Facts) => boolean;

/** Whether the profile, or the document that it names, meets a need. */
const IS_MET: ReadonlyMap<Need, Condition> = new Map<Need, Condition>([
  ["claimsNamespace", ({ bindingClaim }) => bindingClaim !== undefined],
  ["testIssuer.serve", ({ testIssuer }) => testIssuer.serve !== undefined],
  ["denied", ({ denied }) => denied !== undefined],
  ["writes", ({ consent }) => consent],
  // Keys to sign tokens with. Where tokens are issued, the other needs stand for public keys and
  // kinds of tokens.
  ["testIssuer", ({ issued }) => issued === undefined],
  ["authorizationServer", ({ authorizationServer }) => authorizationServer !== undefined],
  ["authorizationServer.clients", ({ issued }) => issued === undefined],
  ["tokens.command", ({ issued }) => issued === undefined],
  ["authorizationServer.probes", ({ authorizationServer }) => authorizationServer?.probes ?? false],
  ["organizations.primary", ({ organizations }) => organizations.primary !== undefined],
  ["organizations.other", ({ organizations }) => organizations.other !== undefined],
  [
    "operations.readChange.changeId",
    ({ operations }) => operations.readChange?.changeId !== undefined,
  ],
  ...OPERATION_IDS.flatMap((id): [Need, Condition][] => [
    [`operations.${id}.body`, ({ operations }) => operations[id]?.body !== undefined],
    [`operations.${id}.invalidBody`, ({ operations }) => operations[id]?.invalidBody !== undefined],
    [
      `\${unique} in operations.${id}.body`,
      ({ operations }) => JSON.stringify(operations[id]?.body ?? "").includes("${unique}"),
    ],
  ]),
]);

/** Whether a need is a request body, which the deployment's document may provide. */
export function isOfBody(need: Need): boolean {
  return /\.(?:body|invalidBody)$/.test(need);
}

/** The needs that a target does not meet, each once. */
export function unmetNeeds(facts: Facts, needs: readonly Need[]): Need[] {
  return [...new Set(needs)].filter((need) => !IS_MET.get(need)?.(facts));
}

/** The unmet needs to report. A body is not reported where writes are not allowed at all. */
export function namedNeeds(unmet: readonly Need[]): Need[] {
  return unmet.filter((need) => !presupposedBy(need).some((one) => unmet.includes(one)));
}

/** The needs without which this one is pointless. */
function presupposedBy(need: Need): readonly Need[] {
  if (need === "operations.readChange.changeId") return ["organizations.primary"];
  if (!isOfBody(need)) return [];
  const body = need.replace("${unique} in ", "") as Need;
  return body === need ? ["writes"] : ["writes", body];
}
