import type { z } from "zod";

import { namesLike } from "../lib/did-you-mean.ts";
import { issueText, valueAt, wrongChoice, wrongType } from "../lib/zod-issue.ts";
import { profileJsonSchema } from "./schema.ts";
import type { Problem, ProfilePath } from "./text-file.ts";

type Issue = z.core.$ZodIssue;

/** The part of a file's JSON Schema that is used: its mappings and their keys. */
export interface Mapping {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Mapping>>;
  readonly anyOf?: readonly Mapping[];
  readonly items?: Mapping;
}

let schema: Mapping | undefined;

function root(): Mapping {
  schema ??= profileJsonSchema() as Mapping;
  return schema;
}

/**
 * Translates zod's issues into the terms of the file.
 * @param value the checked value; messages do not quote it, because it may be secret
 * @param whole the file's JSON Schema; default: the profile's
 */
export function problemsOf(
  issues: readonly Issue[],
  value: unknown,
  whole: Mapping = root(),
): Problem[] {
  return issues.flatMap((issue) => explain(issue, [], value, whole));
}

/** What a value must be that may have several types, by the first key of its path. */
const UNIONS: Readonly<Record<string, string>> = {
  operations:
    "must be false or a mapping; leave it out when it is offered and there is nothing to add",
  organizations: "must be a UUID, or a mapping with id and writes",
};

function explain(issue: Issue, parent: ProfilePath, value: unknown, whole: Mapping): Problem[] {
  const path = [...parent, ...(issue.path as ProfilePath)];
  const problem = (text: string): Problem[] => [{ path, at: "value", text }];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        path: [...path, key],
        at: "key",
        text: unknownKey(path, key, whole),
      }));
    case "invalid_union": {
      const meant = issue.errors.find((branch) =>
        branch.every(({ code, path: { length } }) => length > 0 || code === "unrecognized_keys"),
      );
      // A value of the right type, and of the wrong form.
      const near =
        meant ?? issue.errors.find((all) => all.every(({ code }) => code === "invalid_format"));
      if (near) return near.flatMap((inner) => explain(inner, path, value, whole));
      return problem(UNIONS[path[0] ?? ""] ?? "must be false or a mapping");
    }
    case "invalid_type": {
      const found = valueAt(value, path);
      if (found !== undefined) return problem(wrongType(issue.expected, found));
      const key = String(path.at(-1));
      const { description = "" } = childOf(mappingAt(path.slice(0, -1), whole), key) ?? {};
      return [{ path: path.slice(0, -1), at: "key", text: `lacks the key ${key}. ${description}` }];
    }
    case "invalid_value":
      return problem(wrongChoice(issue.values.map(String), valueAt(value, path)));
    case "custom":
      return [
        {
          path,
          at: issue.params?.["at"] === "key" ? "key" : "value",
          text: issueText(issue, value),
        },
      ];
    default:
      return problem(issueText({ ...issue, path }, value));
  }
}

/** Keys of the profile that were renamed, by their path. */
const RENAMED: Readonly<Record<string, string>> = { issuer: "testIssuer" };

function unknownKey(path: ProfilePath, key: string, whole: Mapping): string {
  const renamed = whole === root() ? RENAMED[[...path, key].join(".")] : undefined;
  if (renamed !== undefined) return `is now ${renamed}; rename the key`;
  const here = Object.keys(propertiesOf(mappingAt(path, whole))).filter(
    (name) => name !== "$schema",
  );
  const [nearest] = namesLike(key, here);
  if (nearest) return `is not a known key; did you mean ${nearest}?`;
  const elsewhere = homesOf(plain(key), whole, []);
  if (elsewhere.length > 0) return `does not belong here, but under ${elsewhere.join(" or ")}`;
  return `is not a known key; known here are ${here.join(", ")}`;
}

/** A word without case, hyphens and underscores, for comparison. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, "");
}

function homesOf(key: string, mapping: Mapping, path: readonly string[]): string[] {
  return Object.entries(propertiesOf(mapping)).flatMap(([name, child]) => [
    ...(plain(name) === key && path.length > 0 ? [path.join(".")] : []),
    ...homesOf(key, child, [...path, name]),
  ]);
}

function mappingAt(path: ProfilePath, whole: Mapping): Mapping | undefined {
  return path.reduce<Mapping | undefined>(
    (mapping, key) => (typeof key === "number" ? mapping?.items : childOf(mapping, key)),
    whole,
  );
}

function childOf(mapping: Mapping | undefined, key: string): Mapping | undefined {
  return propertiesOf(mapping)[key];
}

function propertiesOf(mapping: Mapping | undefined): Readonly<Record<string, Mapping>> {
  const choices = [mapping, ...(mapping?.anyOf ?? [])];
  return choices.find((choice) => choice?.properties)?.properties ?? {};
}
