import { isObject, type JsonObject } from "../../../lib/json.ts";
import { mergePatch } from "../../merge-patch.ts";
import type { MergePatch } from "../../model.ts";
import type { Organization } from "../../store.ts";
import { type FaultEntry, type Faults, ownedBy } from "../fault.ts";

/** Names of records: their entries have names of their own. */
const RECORDS = new Set([
  "customFields",
  "otherIds",
  "otherEmails",
  "otherAddresses",
  "otherPhones",
  "otherSocials",
]);

type Merge = (target: unknown, patch: unknown, name: string, depth: number) => unknown;

/** A fault of merging: another function in place of RFC 7396. */
function merging(
  title: string,
  how: string,
  merge: (organization: Organization, patch: MergePatch) => unknown,
): FaultEntry {
  return {
    title,
    how,
    merge: () => (organization, patch) => merge(organization, patch) as Organization,
  };
}

/** Merges as RFC 7396 says, but for members of which `otherwise` makes something. */
function but(
  otherwise: (
    value: unknown,
    old: unknown,
    name: string,
    depth: number,
  ) => { readonly is: unknown } | undefined,
): (organization: Organization, patch: MergePatch) => unknown {
  const merge: Merge = (target, patch, _name, depth) => {
    if (!isObject(patch)) return patch;
    const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
    for (const [name, value] of Object.entries(patch)) {
      const other = otherwise(value, merged[name], name, depth);
      if (other) {
        if (other.is === undefined) delete merged[name];
        else merged[name] = other.is;
      } else if (value === null) delete merged[name];
      else merged[name] = merge(merged[name], value, name, depth + 1);
    }
    return merged;
  };
  return (organization, patch) => merge(organization, patch, "", 1);
}

/** Applies a function to the entries of the records that a patch names. */
function inRecords(
  change: (entries: JsonObject, old: JsonObject) => unknown,
): (organization: Organization, patch: MergePatch) => unknown {
  return but((value, old, name) =>
    RECORDS.has(name) && isObject(value)
      ? { is: change(value, isObject(old) ? old : {}) }
      : undefined,
  );
}

/** Faults in what a merge patch makes of a profile. */
export const MERGING_FAULTS: Faults = ownedBy("commongrants.merge-patch", {
  "cg-merge-replaces": merging(
    "Replaces the profile with the patch",
    "The body is mapped to an entity, which is saved.",
    ({ id, name }, patch) => ({ id, name, ...(mergePatch({}, patch) as object) }),
  ),
  "cg-merge-shallow": merging(
    "Merges the members of the first level, and replaces what is in them",
    "The members are assigned one by one.",
    but((value, _old, _name, depth) =>
      depth === 1 && isObject(value) ? { is: mergePatch({}, value) } : undefined,
    ),
  ),
  "cg-merge-two-levels": merging(
    "Merges two levels, and replaces what is deeper",
    "The merge of a library goes two levels deep.",
    but((value, _old, _name, depth) =>
      depth === 2 && isObject(value) ? { is: mergePatch({}, value) } : undefined,
    ),
  ),
  "cg-merge-adds-only": merging(
    "Sets members below the first level that have no value, and leaves all others there",
    "The patch is used for defaults.",
    but((value, old, _name, depth) =>
      depth > 1 && value !== null && old !== undefined && !isObject(old) ? { is: old } : undefined,
    ),
  ),
  "cg-merge-one-member": merging(
    "Applies the first member of a patch, and ignores the others",
    "Each event of the log changes one field.",
    (organization, patch) =>
      mergePatch(organization, Object.fromEntries(Object.entries(patch).slice(0, 1))),
  ),
  "cg-merge-last-level-ignored": merging(
    "Changes nothing that is three levels deep and there already",
    "The fields of the form are flattened to two levels.",
    but((_value, old, _name, depth) =>
      depth === 3 && old !== undefined ? { is: old } : undefined,
    ),
  ),
  "cg-merge-false-ignored": merging(
    "Ignores members that are false",
    "The code checks whether a member is truthy before it sets it.",
    but((value, old) => (value === false ? { is: old } : undefined)),
  ),
  "cg-null-ignored": merging(
    "Ignores null",
    "Members that are null are not serialized.",
    but((value, old) => (value === null ? { is: old } : undefined)),
  ),
  "cg-null-ignored-below": merging(
    "Ignores null below the first level",
    "Only the entity itself knows which members were sent.",
    but((value, old, _name, depth) => (value === null && depth > 1 ? { is: old } : undefined)),
  ),
  "cg-null-empty-text": merging(
    "Stores an empty text for null",
    "The columns are not nullable.",
    but((value) => (value === null ? { is: "" } : undefined)),
  ),
  "cg-null-as-text": merging(
    "Stores null as the text null",
    "Every value is converted to a text.",
    but((value) => (value === null ? { is: "null" } : undefined)),
  ),
  "cg-null-clears-parent": merging(
    "Clears the whole object in which a member is null",
    "A member that is null makes the validation of the object fail, and it is dropped.",
    but((value) =>
      isObject(value) && Object.values(value).includes(null) ? { is: undefined } : undefined,
    ),
  ),
  "cg-array-by-index": merging(
    "Merges arrays element by element",
    "The merge of a library treats an array as an object.",
    but((value, old) =>
      Array.isArray(value) && Array.isArray(old)
        ? { is: [...(value as unknown[]), ...(old as unknown[]).slice(value.length)] }
        : undefined,
    ),
  ),
  "cg-array-appended": merging(
    "Adds the elements of an array to those that are there",
    "The merge of a library concatenates arrays.",
    but((value, old) =>
      Array.isArray(value) && Array.isArray(old)
        ? { is: [...(old as unknown[]), ...(value as unknown[])] }
        : undefined,
    ),
  ),
  "cg-array-first-kept": merging(
    "Stores the first element of an array alone",
    "The column has room for one value.",
    but((value) => (Array.isArray(value) ? { is: value.slice(0, 1) } : undefined)),
  ),
  "cg-array-kept": merging(
    "Does not change an array once it is there",
    "Elements have routes of their own, and the patch skips them.",
    but((value, old) => (Array.isArray(value) && Array.isArray(old) ? { is: old } : undefined)),
  ),
  "cg-records-replaced": merging(
    "Replaces a record of which a patch names an entry",
    "The record is one column of JSON.",
    inRecords((entries) => mergePatch({}, entries)),
  ),
  "cg-entry-replaced": merging(
    "Replaces an entry of a record of which a patch names a member",
    "Entries are rows that are deleted and inserted.",
    inRecords((entries, old) => ({
      ...(mergePatch(
        old,
        Object.fromEntries(Object.entries(entries).filter(([, one]) => one === null)),
      ) as object),
      ...(mergePatch({}, entries) as object),
    })),
  ),
  "cg-entry-null-ignored": merging(
    "Does not remove an entry of a record for which a patch has null",
    "Entries are upserted, and never deleted.",
    inRecords((entries, old) =>
      mergePatch(
        old,
        Object.fromEntries(Object.entries(entries).filter(([, one]) => one !== null)),
      ),
    ),
  ),
  "cg-entry-null-clears-all": merging(
    "Removes all entries of a record for one of which a patch has null",
    "The statement that deletes has no condition on the name.",
    inRecords((entries, old) =>
      mergePatch(Object.values(entries).includes(null) ? {} : old, entries),
    ),
  ),
  "cg-entries-limited": merging(
    "Keeps two entries of a record",
    "The table has a column for each of two.",
    inRecords((entries, old) =>
      Object.fromEntries(Object.entries(mergePatch(old, entries) as object).slice(-2)),
    ),
  ),
});
