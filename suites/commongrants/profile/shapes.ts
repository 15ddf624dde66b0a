import type { OperationId } from "../../../src/contract/operations.ts";
import { isUuid } from "../../../src/contract/uuid.ts";
import { isObject } from "../../../src/lib/json.ts";

/**
 * What CommonGrants 0.4 says of the members of profiles and revisions. Members that it does not name conform, and null stands for
 * an absent optional one. The id, the status and the times of a revision are left to `commongrants.revision`.
 */

/** Says what is wrong with a value, each problem with its place; empty where nothing is. */
type Shape = (value: unknown, at: string) => string[];

function is(what: string, fits: (value: unknown) => boolean): Shape {
  return (value, at) => (fits(value) ? [] : [`${at} is ${told(value)}, not ${what}`]);
}

function object(members: Readonly<Record<string, Shape>>, required: readonly string[] = []): Shape {
  return (value, at) => {
    if (!isObject(value)) return [`${at} is ${told(value)}, not an object`];
    const missing = required.filter((name) => (value[name] ?? undefined) === undefined);
    const wrong = Object.entries(members).flatMap(([name, shape]) => {
      const member = value[name] ?? undefined;
      return member === undefined ? [] : shape(member, `${at}/${name}`);
    });
    return [...missing.map((name) => `${at}/${name} is missing`), ...wrong];
  };
}

function record(entry: Shape): Shape {
  return (value, at) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, one]) =>
          one === null ? [] : entry(one, `${at}/${key}`),
        )
      : [`${at} is ${told(value)}, not an object`];
}

function list(item: Shape): Shape {
  return (value, at) =>
    Array.isArray(value)
      ? value.flatMap((one, index) => item(one, `${at}/${index}`))
      : [`${at} is ${told(value)}, not an array`];
}

const text = is("a text", (value) => typeof value === "string");
const number = is("a number", (value) => typeof value === "number");
const integer = is("an integer", (value) => Number.isInteger(value));
const boolean = is("true or false", (value) => typeof value === "boolean");
const uuid = is("a UUID", isUuid);
const url = is("a URL", (value) => typeof value === "string" && URL.canParse(value));
const email = is("an e-mail address", (value) => matches(value, /^[^\s@]+@[^\s@]+$/));
const year = is("a year of four digits", (value) => matches(value, /^\d{4}$/));
const nineDigits = is("nine digits", (value) => matches(value, /^\d{9}$/));
const uei = is("a UEI", (value) => matches(value, /^[A-HJ-NP-Z0-9]{12}$/));
const anything: Shape = () => [];

const address = object(
  {
    street1: text,
    street2: text,
    city: text,
    stateOrProvince: text,
    country: text,
    postalCode: text,
    latitude: number,
    longitude: number,
    geography: object({}),
  },
  ["street1", "city", "stateOrProvince", "country", "postalCode"],
);

const phone = object(
  {
    countryCode: is("a country code", (value) => matches(value, /^\+[1-9]\d{0,3}$/)),
    number: text,
    extension: text,
    isMobile: boolean,
  },
  ["countryCode", "number"],
);

function identifier(id: Shape): Shape {
  const status = is("active or archived", (value) => value === "active" || value === "archived");
  return object({
    registry: object({ code: text, url }),
    id,
    allIds: list(object({ id, status }, ["id", "status"])),
  });
}

const customField = object(
  {
    name: text,
    fieldType: is("a published type", (value) =>
      ["string", "number", "integer", "boolean", "object", "array"].includes(String(value)),
    ),
    schema: url,
    value: anything,
    description: text,
  },
  ["name", "fieldType"],
);

const profile = {
  name: text,
  mission: text,
  yearFounded: year,
  identifiers: object({
    "org:us:ein": identifier(nineDigits),
    "org:us:uei": identifier(uei),
    "org:xi:duns": identifier(nineDigits),
    systemId: identifier(uuid),
    otherIds: record(identifier(text)),
  }),
  orgType: object({ class: text, term: text, code: text, description: text }, [
    "class",
    "term",
    "code",
  ]),
  addresses: object({ primary: address, otherAddresses: record(address) }, ["primary"]),
  phones: object({ primary: phone, fax: phone, otherPhones: record(phone) }, ["primary"]),
  emails: object({ primary: email, otherEmails: record(email) }, ["primary"]),
  socials: object({
    website: url,
    facebook: url,
    twitterOrX: url,
    bluesky: url,
    instagram: url,
    linkedin: url,
    otherSocials: record(url),
  }),
  customFields: record(customField),
};

const organization = object({ id: uuid, ...profile }, ["id", "name"]);

const revision = object(
  {
    status: object({ customValue: text, description: text }),
    source: text,
    patch: object({}),
    snapshot: organization,
  },
  ["id", "status", "createdAt", "lastModifiedAt"],
);

const info = object(
  { page: integer, pageSize: integer, totalItems: integer, totalPages: integer },
  ["page", "pageSize"],
);

const OF: Readonly<Record<OperationId, Shape>> = {
  listOrganizations: object({ items: list(organization), paginationInfo: info }),
  viewOrganization: object({ data: organization }),
  editOrganization: object({ data: revision }),
  submitChange: object({ data: revision }),
  readChangesFeed: object({ items: list(revision), paginationInfo: info }),
  readChange: object({ data: revision }),
};

/** What in the body of a good answer is otherwise than published, each with its place. An envelope without content has nothing. */
export function misfitsOf(body: unknown, operation: OperationId): string[] {
  return OF[operation](body, "");
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === "string" && pattern.test(value);
}

const LONGEST = 40;

function told(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value).slice(0, LONGEST);
}
