import { isObject, mapTexts } from "../../../lib/json.ts";
import { lacking, profiles } from "../../commongrants.ts";
import { perReceiver } from "../../per-receiver.ts";
import { Refusal } from "../../refusal.ts";
import type { Organization } from "../../store.ts";
import type { Variants } from "../variant.ts";

/** How often a profile was edited. */
const versionsOf = perReceiver(() => ({ count: 1 }));
/** What a receiver with few columns stores. */
const FEW = ["id", "name", "mission", "socials"];
const PUBLISHED = [
  "id",
  "name",
  "mission",
  "yearFounded",
  "identifiers",
  "orgType",
  "addresses",
  "phones",
  "emails",
  "socials",
  "customFields",
];

/** Freedoms in what a profile stores, and how it shows it. */
export const PROFILE_VARIANTS: Variants = {
  "cg-unknown-refused": {
    title: "A patch with members that nobody published is refused",
    patchErrors: (original) => (body, id) => [
      ...original(body, id),
      ...Object.keys(isObject(body) ? body : {})
        .filter((name) => !PUBLISHED.includes(name))
        .map((field) => ({ field, message: "is not known" })),
    ],
  },
  "cg-unknown-dropped": {
    title: "Members that nobody published are ignored",
    merge: (original) => (organization, patch) => picked(original(organization, patch), PUBLISHED),
  },
  "cg-few-stored": {
    title: "A profile has a name, a mission and social links, and ignores all else",
    merge: (original) => (organization, patch) => original(organization, picked(patch, FEW)),
  },
  "cg-mobile-worked-out": {
    title: "Whether a phone is mobile follows from its number",
    merge: (original) => (organization, patch) =>
      withMobile(original(organization, patch)) as Organization,
  },
  "cg-mission-alone": {
    title: "A write may have a name and a mission, and is refused with any other member",
    patchErrors: (original) => (body, id) => [
      ...original(body, id),
      ...Object.keys(isObject(body) ? body : {})
        .filter((name) => name !== "name" && name !== "mission")
        .map((field) => ({ field, message: "is not supported" })),
    ],
  },
  "cg-custom-fields-refused": {
    title: "Custom fields and further identifiers are refused",
    patchErrors: (original) => (body, id) => [
      ...original(body, id),
      ...["customFields", "identifiers"]
        .filter((name) => isObject(body) && isObject(body[name]))
        .map((field) => ({ field, message: "is not supported" })),
    ],
  },
  "cg-invalid-ignored": {
    title: "Members that are not valid are ignored, and the rest of a patch is applied",
    editOrganization: (original) => (call) =>
      original({
        ...call,
        body: withoutInvalid(call.body, call.orgId, call.receiver.steps.patchErrors),
      }),
    submitChange: (original) => (call) =>
      original({
        ...call,
        body: withoutInvalid(call.body, call.orgId, call.receiver.steps.patchErrors),
      }),
    warned: ["commongrants.merge-patch"],
  },
  "cg-arrays-sorted": {
    title: "Arrays are stored as sets, and sorted",
    merge: (original) => (organization, patch) =>
      mapArrays(original(organization, patch), (all) =>
        [...new Set(all.map(String))].toSorted(),
      ) as Organization,
  },
  "cg-nulls-kept": {
    title: "A member that was cleared is null",
    merge: (original) => (organization, patch) =>
      withNulls(original(organization, patch), patch) as Organization,
  },
  "cg-emptied-vanish": {
    title: "An object that became empty vanishes",
    merge: (original) => (organization, patch) =>
      withoutEmpty(original(organization, patch)) as Organization,
  },
  "cg-texts-normalised": {
    title: "Texts are trimmed, and in the composed form of Unicode",
    merge: (original) => (organization, patch) =>
      mapTexts(original(organization, patch), (text) =>
        text.trim().normalize("NFC"),
      ) as Organization,
  },
  "cg-profile-times": {
    title: "A profile shows its version and when it was edited, and ignores what is sent for them",
    merge: (original) => (organization, patch) => {
      const { datasetVersion: _, lastModifiedAt: __, ...others } = patch;
      return original(organization, others);
    },
    editOrganization: (original) => (call) => {
      versionsOf(call.receiver).count += 1;
      return original(call);
    },
    viewOrganization: (original) => (call) => {
      const answer = original(call);
      const { data, ...body } = answer.body as { readonly data: object };
      const { count } = versionsOf(call.receiver);
      const own = {
        datasetVersion: count,
        lastModifiedAt: new Date(call.receiver.steps.now() * 1000).toISOString(),
      };
      return { ...answer, body: { ...body, data: { ...data, ...own } } };
    },
  },
  "cg-geocoded": {
    title: "An address has coordinates, which follow from the rest of it",
    ...profiles((profile) => {
      const { addresses } = profile;
      if (!isObject(addresses) || !isObject(addresses["primary"])) return profile;
      const latitude = JSON.stringify(addresses["primary"]).length / 10;
      return {
        ...profile,
        addresses: { ...addresses, primary: { ...addresses["primary"], latitude } },
      };
    }),
  },
  "cg-no-identifiers": {
    title: "A view shows no identifiers",
    ...profiles(lacking("identifiers")),
  },
  "cg-edits-of-one-member": {
    title: "An edit with more than three members is refused",
    editOrganization: (original) => (call) => {
      if (isObject(call.body) && Object.keys(call.body).length > 3)
        throw new Refusal(422, "So many members are not edited at once.");
      return original(call);
    },
  },
};

function picked(all: object, names: readonly string[]): Organization {
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => names.includes(name)),
  ) as unknown as Organization;
}

function withoutInvalid(
  body: unknown,
  id = "",
  errorsOf: (body: unknown, id: string) => readonly unknown[],
): unknown {
  if (!isObject(body)) return body;
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => errorsOf({ [name]: value }, id).length === 0),
  );
}

function mapArrays(value: unknown, change: (all: readonly unknown[]) => unknown): unknown {
  if (Array.isArray(value)) return change(value);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, mapArrays(one, change)]),
  );
}

function withNulls(value: unknown, patch: unknown): unknown {
  if (!isObject(value) || !isObject(patch)) return value;
  const merged: Record<string, unknown> = { ...value };
  for (const [name, one] of Object.entries(patch))
    merged[name] = one === null ? null : withNulls(value[name], one);
  return merged;
}

function withoutEmpty(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, one]) => [name, withoutEmpty(one)] as const)
      .filter(([, one]) => !(isObject(one) && Object.keys(one).length === 0)),
  );
}

/** The same with each phone told to be no mobile one, because its number says so. */
function withMobile(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, one]) => [name, withMobile(one)]);
  const isPhone = Object.hasOwn(value, "countryCode");
  return { ...Object.fromEntries(members), ...(isPhone && { isMobile: false }) } as object;
}
