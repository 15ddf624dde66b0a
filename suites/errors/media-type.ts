import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { onRecordedErrors } from "../shared/recorded-errors.ts";

/** `application/json`, or any type with the suffix `+json` (RFC 6839 §3.1) and parameters. */
const JSON_TYPE = /^\s*(?:application\/json|[\w.-]+\/[\w.+-]+\+json)\s*(?:[;,]|$)/i;

export const rule: Rule = defineRule({
  id: "errors.media-type",
  title: "An Error body is served as JSON",
  level: "SHOULD",
  verifies: ["errors.body", "rfc8259.media-type"],
  phase: "record",
  dependsOn: ["errors.shape"],
  cases: () =>
    onRecordedErrors({
      expected: "`Content-Type` is application/json or a type that ends in +json",
      // errors.shape reports bodies that are not JSON.
      applies: ({ json }) => json,
      problem: ({ contentType }) =>
        JSON_TYPE.test(contentType ?? "")
          ? undefined
          : `\`Content-Type\` is ${contentType?.slice(0, 80) ?? "missing"}`,
    }),
});
