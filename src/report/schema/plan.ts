import { z } from "zod";

import { SCOPES } from "../../contract/operations.ts";
import type { PlanNote } from "../../engine/events.ts";
import { AUTHENTICATION_METHODS, FLOWS } from "../../profile/authorization-server.ts";
import { about, operation, text, texts } from "./words.ts";

const yes = z.boolean().optional();
const scopes = z.array(z.enum(SCOPES));
const publicKey = z.strictObject({
  kid: text,
  alg: text,
  publicJwk: z.record(text, z.unknown()),
});
const organizations = z.strictObject({ primary: text.optional(), other: text.optional() });

const plannedOperation = z.strictObject({
  contentType: text.optional(),
  paginated: yes,
  items: text.optional(),
  pagination: text.optional(),
  organization: text.optional(),
  id: text.optional(),
  trailingSlash: yes,
  body: z.strictObject({ object: z.boolean(), unique: z.boolean() }).optional(),
  invalidBody: yes,
  change: yes,
});

/** Schema of the plan in `report.json`. */
export const plan: z.ZodType<PlanNote> = z
  .strictObject({
    rules: about(text, "Digest of the rules' own metadata."),
    patterns: about(texts, "Globs that select rules and cases; empty for all."),
    only: about(text.optional(), "The cases that were selected by their full ids, as a phrase."),
    target: about(
      z.strictObject({
        bindingClaim: text.optional(),
        testIssuer: z.strictObject({
          keys: z.array(publicKey),
          key: publicKey,
          algorithms: texts,
          claims: texts,
          header: texts,
          serve: z.boolean(),
        }),
        issued: z
          .strictObject({ leavesOutTestIssuer: z.boolean(), command: z.boolean() })
          .optional(),
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
        document: z.enum(["none", "unread", "read"]),
        operations: z.partialRecord(operation, plannedOperation),
        headers: texts,
        callback: z.boolean(),
        authorizationServer: z
          .strictObject({
            issuer: text,
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
                secret: z.int().min(1).optional(),
                redirectQuery: z.boolean().optional(),
                unattended: z.boolean().optional(),
                refusal: z.boolean().optional(),
              }),
            ),
          })
          .optional(),
      }),
      "The parts of profile and document that decide which cases there are. Of bodies, headers and secrets it only says whether they exist.",
    ),
  })
  .meta({
    id: "plan",
    description: "The input of the plan, so that others can make it again.",
  });
