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

interface Met {
  /** Whether the profile, or the document that it names, meets the need. */
  readonly by: (facts: Facts) => boolean;
  /** Without these needs, this one is pointless. */
  readonly presupposes?: readonly Need[];
}

const NEEDS: ReadonlyMap<Need, Met> = new Map<Need, Met>([
  ["claimsNamespace", { by: ({ bindingClaim }) => bindingClaim !== undefined }],
  ["testIssuer.serve", { by: ({ testIssuer }) => testIssuer.serve !== undefined }],
  ["denied", { by: ({ denied }) => denied !== undefined }],
  ["writes", { by: ({ consent }) => consent }],
  // Keys to sign tokens with. Where tokens are issued, the other needs stand for public keys and
  // kinds of tokens.
  ["testIssuer", { by: ({ issued }) => issued === undefined }],
  ["authorizationServer", { by: ({ authorizationServer }) => authorizationServer !== undefined }],
  ["authorizationServer.clients", { by: ({ issued }) => issued === undefined }],
  ["tokens.command", { by: ({ issued }) => issued === undefined }],
  [
    "authorizationServer.probes",
    { by: ({ authorizationServer }) => authorizationServer?.probes ?? false },
  ],
  ["organizations.primary", { by: ({ organizations }) => organizations.primary !== undefined }],
  ["organizations.other", { by: ({ organizations }) => organizations.other !== undefined }],
  [
    "operations.readChange.changeId",
    {
      by: ({ operations }) => operations.readChange?.changeId !== undefined,
      presupposes: ["organizations.primary"],
    },
  ],
  ...OPERATION_IDS.flatMap((id): [Need, Met][] => [
    [
      `operations.${id}.body`,
      { by: ({ operations }) => operations[id]?.body !== undefined, presupposes: ["writes"] },
    ],
    [
      `operations.${id}.invalidBody`,
      {
        by: ({ operations }) => operations[id]?.invalidBody !== undefined,
        presupposes: ["writes"],
      },
    ],
    [
      `\${unique} in operations.${id}.body`,
      {
        by: ({ operations }) => JSON.stringify(operations[id]?.body ?? "").includes("${unique}"),
        presupposes: ["writes", `operations.${id}.body`],
      },
    ],
  ]),
]);

/** Whether a need is a request body, which the deployment's document may provide. */
export function isOfBody(need: Need): boolean {
  return /\.(?:body|invalidBody)$/.test(need);
}

/** The needs that a target does not meet, each once. */
export function unmetNeeds(facts: Facts, needs: readonly Need[]): Need[] {
  return [...new Set(needs)].filter((need) => !NEEDS.get(need)?.by(facts));
}

/** The unmet needs to report. A body is not reported where writes are not allowed at all. */
export function namedNeeds(unmet: readonly Need[]): Need[] {
  return unmet.filter((need) => !NEEDS.get(need)?.presupposes?.some((one) => unmet.includes(one)));
}
