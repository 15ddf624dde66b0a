import type * as FastCheck from "fast-check";

/** The members of an organization profile that a patch may have, as CommonGrants 0.4 names them. */

export type Fc = typeof FastCheck;
type Values = (fc: Fc) => FastCheck.Arbitrary<unknown>;

/** A member, and what the suite writes into it. */
export type Member = {
  /** Whether null clears it. Default: false. */
  readonly clearable?: boolean;
} & (
  | { readonly kind: "value"; readonly values: Values }
  | {
      readonly kind: "object";
      readonly members: Readonly<Record<string, Member>>;
      /** What it cannot be without. */
      readonly required: readonly string[];
    }
  | {
      readonly kind: "record";
      /** The names of the entries that the suite writes. */
      readonly keys: readonly string[];
      readonly entry: (key: string) => Member;
    }
);

function value(values: Values): Member {
  return { kind: "value", values };
}

function object(
  members: Readonly<Record<string, Member>>,
  required: readonly string[] = [],
): Member {
  return { kind: "object", members, required };
}

/** A record whose entries null removes one by one, and as a whole. */
function record(entry: (key: string) => Member, prefix = "conformance"): Member {
  const keys = ["1", "2", "3"].map((number) => prefix + number);
  return clearable({ kind: "record", keys, entry });
}

function clearable(member: Member): Member {
  return { ...member, clearable: true };
}

/** Gives one arbitrary each time, because many members have it. */
function once(make: Values): Values {
  let made: ReturnType<Values> | undefined;
  return (fc) => (made ??= make(fc));
}

/** Values are plain, so that no deployment has a reason to store them otherwise. */
const words = once((fc) => fc.stringMatching(/^Conformance [a-z]{4,12} [a-z]{4,12}$/));
const url = once((fc) =>
  fc.stringMatching(/^[a-z]{6,12}$/).map((name) => `https://www.example.org/${name}`),
);
const email = once((fc) => fc.stringMatching(/^[a-z]{6,12}$/).map((name) => `${name}@example.org`));
const digits = (count: number): Values =>
  once((fc) => fc.stringMatching(new RegExp(`^[1-9][0-9]{${count - 1}}$`)));
const list = once((fc) =>
  fc.uniqueArray(fc.stringMatching(/^[a-z]{4,8}$/), { minLength: 1, maxLength: 4 }),
);
const always =
  (only: unknown): Values =>
  (fc) =>
    fc.constant(only);

const note = clearable(value(words));
const link = clearable(value(url));

const address = object(
  {
    street1: value(words),
    street2: note,
    city: value(words),
    stateOrProvince: value((fc) => fc.constantFrom("CA", "NY", "TX", "WA")),
    country: value(always("US")),
    postalCode: value(digits(5)),
  },
  ["street1", "city", "stateOrProvince", "country", "postalCode"],
);

const phone = object(
  {
    countryCode: value(always("+1")),
    number: value((fc) => fc.stringMatching(/^202-555-01[0-9]{2}$/)),
    extension: clearable(value(digits(3))),
    isMobile: clearable(value((fc) => fc.boolean())),
  },
  ["countryCode", "number"],
);

/** Its value is a list, because no other member of the profile is one that everybody may write. */
const customField = object(
  { name: value(words), fieldType: value(always("array")), value: value(list), description: note },
  ["name", "fieldType", "value"],
);

/**
 * What the suite writes. Identifiers that an authority issues are left out: a deployment has reasons to refuse invented ones.
 * So is what a deployment derives from other members, such as coordinates.
 */
export const PROFILE: Extract<Member, { kind: "object" }> = {
  kind: "object",
  required: [],
  members: {
    name: value(words),
    mission: note,
    yearFounded: clearable(value((fc) => fc.integer({ min: 1900, max: 2020 }).map(String))),
    socials: clearable(
      object({
        website: link,
        facebook: link,
        linkedin: link,
        otherSocials: record(() => value(url)),
      }),
    ),
    emails: clearable(
      object({ primary: value(email), otherEmails: record(() => value(email)) }, ["primary"]),
    ),
    addresses: clearable(
      object({ primary: address, otherAddresses: record(() => address) }, ["primary"]),
    ),
    phones: clearable(
      object({ primary: phone, fax: clearable(phone), otherPhones: record(() => phone) }, [
        "primary",
      ]),
    ),
    orgType: clearable(
      object(
        {
          class: value(always("Organization types")),
          term: value(always("Hospital")),
          code: value(always("EO000000")),
          description: note,
        },
        ["class", "term", "code"],
      ),
    ),
    identifiers: clearable(
      object({
        otherIds: record(
          (key) =>
            object(
              {
                registry: object({ code: value(always(key)) }, ["code"]),
                id: clearable(value(digits(7))),
              },
              ["registry"],
            ),
          "org:us:conformance",
        ),
      }),
    ),
    customFields: record(() => customField),
  },
};

/** The members of a published profile at its first level, but for its id. */
export const PROFILE_NAMES: readonly string[] = Object.keys(PROFILE.members);

/** The place of a member, whatever the name of an entry in a record is: `customFields.*.value`. */
export function placeOf(path: readonly string[]): string {
  let member: Member | undefined = PROFILE;
  const names: string[] = [];
  for (const name of path) {
    names.push(member?.kind === "record" ? "*" : name);
    member = below(member, name);
  }
  return names.join(".");
}

/** Published members that the suite does not write. */
const BESIDE: ReadonlySet<string> = new Set([
  "twitterOrX",
  "bluesky",
  "instagram",
  "org:us:ein",
  "org:us:uei",
  "org:xi:duns",
  "systemId",
  "schema",
]);

/** Whether a path leads to a published member. */
export function isNamed(path: readonly string[]): boolean {
  let member: Member | undefined = PROFILE;
  for (const name of path) member = below(member, name);
  return member !== undefined || BESIDE.has(path.at(-1) ?? "");
}

/** Whether a path leads to an entry of a record. */
export function isEntry(path: readonly string[]): boolean {
  return placeOf(path).endsWith("*");
}

function below(member: Member | undefined, name: string): Member | undefined {
  if (member?.kind === "record") return member.entry(name);
  if (member?.kind !== "object" || !Object.hasOwn(member.members, name)) return undefined;
  return member.members[name];
}
