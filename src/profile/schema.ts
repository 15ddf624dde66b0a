import { z } from "zod";

import { OPERATION_IDS, OPERATIONS, type OperationId } from "../contract/operations.ts";
import { ALGORITHMS } from "../keys/algorithms.ts";
import { authorizationServer } from "./authorization-server-schema.ts";
import { contradictionsIn } from "./contradictions.ts";
import type { Profile } from "./profile.ts";
import {
  BASE_URL,
  LISTEN_URL,
  baseUrlProblem,
  extraClaims,
  extraHeader,
  headers,
  listenUrlProblem,
  maxRequestsPerSecond,
  retryAfterSeconds,
  stringThat,
  text,
  url,
} from "./schema-parts.ts";

/** The `iss` of a test issuer without `url` in the profile. */
export const DEFAULT_ISSUER = "https://issuer.example.com";
const DEFAULT_SUBJECT = "svc-conformance";
const DEFAULT_TIMEOUT_MS = 10_000;

const uuid = z.guid("must be a UUID such as 6f1c2b9e-8a44-4c0f-9d0e-2f5b7a1c3d10");
const algorithm = z.enum(ALGORITHMS);
const pointer = z
  .string()
  .regex(/^(?:\/(?:[^~/]|~[01])*)*$/, "must be a JSON Pointer (RFC 6901) such as /data/items");
const mediaType = z
  .string()
  .regex(
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[ -~]*)?$/,
    "must be a media type such as application/merge-patch+json",
  );

const contentType = mediaType.optional().describe("Media type of the request body.");
const invalidBody = z
  .unknown()
  .optional()
  .describe("A body that the deployment has to refuse as invalid.");
const body = z
  .unknown()
  .optional()
  .describe(
    "A body that the deployment accepts. ${unique} in its strings becomes a value that no other request has, by which the suite finds its writes again.",
  );
const page = {
  paginated: z.boolean().optional().describe("Whether the route takes `page` and `pageSize`."),
  items: pointer
    .optional()
    .describe(
      "Where the answer has its list of items: an array, or an object of items by their ids.",
    ),
  pagination: pointer.optional().describe("Where the answer has its PaginatedResultsInfo."),
};

const operationHeaders = headers
  .optional()
  .describe(
    "Headers of its requests. ${unique} becomes a new value in each; in a write ${etag} becomes the `ETag` that a view of the organization has just given.",
  );

/** The two spellings of a path of the contract. */
function spelling(path: string) {
  return z
    .enum([path, `${path}/`])
    .optional()
    .describe("Its path; only a slash at the end may be added to the contract's.");
}

function offer<Keys extends z.ZodRawShape>(id: OperationId, keys: Keys) {
  const { method, path, purpose } = OPERATIONS[id];
  return z
    .union([
      z.literal(false),
      z.strictObject({ path: spelling(path), ...keys, headers: operationHeaders }),
    ])
    .optional()
    .describe(`${purpose}, ${method} ${path}; false when the deployment does not offer it.`);
}

const operations = z.strictObject({
  listOrganizations: offer("listOrganizations", page),
  viewOrganization: offer("viewOrganization", {
    organization: pointer.optional().describe("Where the answer has the organization."),
  }),
  editOrganization: offer("editOrganization", { contentType, body, invalidBody }),
  submitChange: offer("submitChange", {
    contentType,
    body,
    invalidBody,
    id: pointer.optional().describe("Where the answer has the id of the submitted change."),
    ...page,
  }),
  readChangesFeed: offer("readChangesFeed", page),
  readChange: offer("readChange", {
    changeId: text
      .optional()
      .describe("The id of a change that exists in `organizations.primary`."),
  }),
});

const belowOneOrganization = OPERATION_IDS.filter((id) => OPERATIONS[id].organization);

const denied = z.strictObject({
  subject: text
    .optional()
    .describe("The `sub` of the refused token; default: the profile's subject."),
  client: text
    .optional()
    .describe("In place of subject: the client of authorizationServer whose tokens are refused."),
  organization: uuid.describe("The organization that it must not act on."),
  operations: z
    .array(z.enum(belowOneOrganization))
    .min(1, "must name an operation")
    .default(belowOneOrganization)
    .describe("What is forbidden; default: every operation below one organization."),
});

const deployment = z.strictObject({
  name: text.optional().describe("What it is called, such as acme-staging."),
  version: text.optional().describe("Which version of it runs, such as 4.2.0."),
});

const shape = z.strictObject({
  $schema: z.string().optional().describe("For editors; the suite ignores it."),
  baseUrl: stringThat(baseUrlProblem)
    .meta({ pattern: BASE_URL.source })
    .describe(
      "The {base_url} of the deployment, such as https://sync.example.com/common-grants; routes are appended to it.",
    ),
  deployment: deployment.optional().describe("The deployment's name and version in reports."),
  claimsNamespace: text
    .regex(/^(?!.*\/org_id$)/, "must not contain the claim's own name: /org_id is appended to it")
    .optional()
    .describe("{claims_namespace}: the binding claim is {claims_namespace}/org_id."),
  testIssuer: z
    .union([
      z.literal(false),
      z.strictObject({
        url: text
          .default(DEFAULT_ISSUER)
          .describe("`iss` of the test issuer that the deployment trusts, exactly; usually a URL."),
        keys: text
          .optional()
          .describe("Folder with jwks.json and private.jwks.json; default: the bundled ones."),
        algorithm: algorithm
          .optional()
          .describe("The algorithm of good tokens; default: alg of the first private key."),
        algorithms: z
          .array(algorithm)
          .min(1, "must name an algorithm")
          .optional()
          .describe(
            "The algorithms that the deployment declares to support; default: the algorithm of good tokens.",
          ),
        claims: extraClaims.describe(
          "Further claims of every good token: what the deployment insists on beyond the contract.",
        ),
        header: extraHeader.describe(
          "Further members of every good token's header; with `typ`, good tokens carry that one and no other.",
        ),
        serve: stringThat(listenUrlProblem)
          .meta({ pattern: LISTEN_URL.source })
          .optional()
          .describe(
            "Where run and doctor publish the keys and the issuer's metadata themselves, for a deployment that fetches them by URL; rotation of keys is observed then.",
          ),
      }),
    ])
    .optional()
    .describe(
      "The test issuer that the deployment trusts; false when it trusts none but its own. Default: one with the bundled keys, where neither authorizationServer nor tokens is named.",
    ),
  audience: text.optional().describe("`aud` of good tokens; default: baseUrl, exactly as written."),
  subject: text.default(DEFAULT_SUBJECT).describe("`sub` that may act on both organizations."),
  organizations: z
    .strictObject({
      primary: uuid
        .optional()
        .describe(
          "The organization that most requests are about, and whose writes `writes: true` allows. No path of a write names another one, except to undo what a deployment has written there by mistake.",
        ),
      other: z
        .union([
          uuid,
          z.strictObject({
            id: uuid.describe("Its id."),
            writes: z
              .boolean()
              .default(false)
              .describe(
                "Consent to requests that may write to this organization too, beside `writes: true`. Their path and token name the primary one, and their body this one.",
              ),
          }),
        ])
        .optional()
        .describe(
          "A second organization that the subject may act on: its id, or an object of its id and `writes`.",
        ),
    })
    .default({})
    .describe("Two organizations that exist in the deployment."),
  denied: denied.optional().describe("What local policy forbids an otherwise good token."),
  writes: z.boolean().default(false).describe("Consent to change `organizations.primary`."),
  packs: z
    .array(
      z.string().regex(/^[a-z][a-z0-9-]*$/, "must be the name of a pack, such as commongrants"),
    )
    .default([])
    .describe("Packs of further requirements that a run judges, each with its own verdict."),
  openapi: text
    .optional()
    .describe(
      "File or URL of the deployment's OpenAPI document, which closes gaps that the contract leaves open.",
    ),
  operations: operations.prefault({}).describe("What the deployment offers; all six by default."),
  request: z
    .strictObject({
      headers: headers.default({}).describe("Headers of every request: gateway keys and the like."),
      ca: text.optional().describe("File with certificates of authorities to trust, PEM."),
      cert: text
        .optional()
        .describe("File with the client certificate that the deployment asks for, PEM."),
      key: text.optional().describe("File with that certificate's private key, PEM; never shown."),
      timeoutMs: z
        .int("must be a whole number of milliseconds")
        .min(1, "must be 1 or more milliseconds")
        .max(2 ** 31 - 1, "must be less than 25 days: it is in milliseconds")
        .default(DEFAULT_TIMEOUT_MS)
        .describe("Time limit of each request, in milliseconds."),
      maxRequestsPerSecond,
      retryAfterSeconds,
      callback: url
        .optional()
        .describe(
          "Where the deployment could reach the suite's own listener; default: http://127.0.0.1:0 for a target on loopback, else none.",
        ),
    })
    .prefault({})
    .describe("How requests are sent."),
  authorizationServer: authorizationServer
    .optional()
    .describe(
      "The deployment's own authorization server; without it the verdict covers the receiver only.",
    ),
  tokens: z
    .strictObject({
      command: z
        .array(text)
        .min(1, "must name a command")
        .describe(
          "Prints one access token for ORGSYNC_SCOPES, ORGSYNC_ORGANIZATION and ORGSYNC_SUBJECT in its environment; exit status 3: it cannot. Run without a shell, in the profile's folder.",
        ),
    })
    .optional()
    .describe("Another source of access tokens that the deployment accepts."),
});

/** Every key of a profile, with type, default and description. Relative paths stay. */
export const profileSchema: z.ZodType<Profile> = shape.check(({ value, issues }) => {
  for (const { path, message, at = "value" } of contradictionsIn(value)) {
    issues.push({ code: "custom", input: value, path: [...path], message, params: { at } });
  }
});

/** The JSON Schema (2020-12) of a profile file, for editors. It allows `${env:…}`. */
export function profileJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(profileSchema, {
    io: "input",
    override({ jsonSchema }) {
      const { format, pattern, enum: values } = jsonSchema;
      if (jsonSchema.type !== "string" || !(format ?? pattern ?? values)) return;
      const constraints = {
        ...(format ? { format } : {}),
        ...(pattern ? { pattern } : {}),
        ...(values ? { enum: values } : {}),
      };
      delete jsonSchema.format;
      delete jsonSchema.pattern;
      delete jsonSchema.enum;
      jsonSchema.anyOf = [constraints, { pattern: "\\$\\{env:" }];
    },
  });
  return { title: "Profile of a deployment under test", ...schema };
}
