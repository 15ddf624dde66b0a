import { z } from "zod";

import { SCOPES } from "../../contract/operations.ts";
import type { PlanNote } from "../../engine/events.ts";
import { AUTHENTICATION_METHODS, FLOWS } from "../../profile/authorization-server.ts";
import { operation, text, texts } from "./words.ts";

const yes = z.boolean().optional();
const scopes = z.array(z.enum(SCOPES));
const publicKey = z.strictObject({ kid: text, alg: text, publicJwk: z.record(text, z.unknown()) });
const organizations = z.strictObject({ primary: text.optional(), other: text.optional() });

/** Values that are only said to be there. */
const given = z.record(text, text).describe("Their names; the values are not told.");

const offered = z.strictObject({
  contentType: text.optional(),
  paginated: yes,
  items: text.optional(),
  pagination: text.optional(),
  organization: text.optional(),
  id: text.optional(),
  trailingSlash: yes,
  body: z.unknown().optional(),
  invalidBody: text.optional(),
  changeId: text.optional(),
});

export const plan: z.ZodType<PlanNote> = z
  .strictObject({
    rules: text.describe("Digest of what the rules and their cases declare."),
    pack: text.optional().describe("The pack whose rules they are; absent for the contract's."),
    patterns: texts.describe("Globs that select rules and cases; empty for all."),
    only: text.optional().describe("The cases that were selected by their full ids, as a phrase."),
    exploresOnly: z
      .literal(true)
      .exactOptional()
      .describe("Set where exploration took the place of the cases."),
    facts: z
      .strictObject({
        baseUrl: text,
        origin: text,
        basePath: text,
        audience: text,
        bindingClaim: text.optional(),
        subject: text,
        organizations,
        denied: z
          .strictObject({
            subject: text,
            client: text.optional(),
            organization: text,
            operations: z.array(operation),
          })
          .optional(),
        consent: z.boolean(),
        readOnly: z.boolean(),
        writes: z.boolean(),
        otherWrites: z.boolean().optional(),
        testIssuer: z.strictObject({
          url: text,
          keys: z.array(publicKey),
          key: publicKey,
          algorithms: texts,
          claims: given,
          header: given,
          serve: text.optional(),
        }),
        issued: z
          .strictObject({
            leavesOutTestIssuer: z.boolean(),
            command: z.strictObject({}).optional(),
          })
          .optional(),
        openapi: text.optional(),
        document: z.strictObject({}).optional(),
        operations: z.partialRecord(operation, offered),
        request: z.strictObject({ headers: given, callback: text.optional() }),
        authorizationServer: z
          .strictObject({
            issuer: text,
            urls: texts.optional(),
            narrowing: z.boolean(),
            subjects: z.literal("client").optional(),
            probes: z.boolean(),
            waitSeconds: z.int().min(0),
            scopes: z.record(z.enum(SCOPES), text),
            clients: z.array(
              z.strictObject({
                name: text,
                flow: z.enum(FLOWS),
                id: text,
                authentication: z.enum(AUTHENTICATION_METHODS),
                scopes,
                organization: text.optional(),
                subject: text.optional(),
                secret: text.optional(),
                redirectUri: text.optional(),
                consent: texts.optional(),
                refusal: texts.optional(),
                authorizationParameters: given,
                tokenParameters: given,
              }),
            ),
          })
          .optional(),
      })
      .describe(
        "What the plan depends on, from profile and document. Where only the presence of a value matters, as of bodies, header fields, claims and secrets, the word `given` stands for it.",
      ),
  })
  .meta({ id: "plan", description: "The input of the plan, so that others can make it again." });
