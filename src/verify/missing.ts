/** What a rule asked for that a report does not hold, so that its outcome is not re-checked. */
export type Missing =
  | "answer"
  | "request"
  | "run"
  | "time"
  | "callback"
  | "document"
  | "profile"
  | "server"
  | "confirmation"
  | "exploration";

const SENDS_AGAIN = "sends the requests again";

/** Why outcomes are not judged again, and what `--live` does about it, as phrases. */
export const MISSING: Readonly<Record<Missing, { readonly why: string; readonly live: string }>> = {
  answer: { why: "an answer is long, or partly redacted", live: SENDS_AGAIN },
  request: { why: "requests behind the result are not recorded", live: SENDS_AGAIN },
  run: { why: "the rule judges by what the whole run has seen", live: SENDS_AGAIN },
  time: { why: "the rule judges by clocks and by what overlapped", live: SENDS_AGAIN },
  callback: { why: "the rule judges by what the deployment fetched", live: SENDS_AGAIN },
  document: {
    why: "the deployment's document is not recorded",
    live: "reads the document again",
  },
  profile: { why: "bodies of the profile are not recorded", live: "takes them from the profile" },
  server: {
    why: "the rule judges by tokens and codes themselves, which are secret",
    live: "gets new ones, with the clients of the profile",
  },
  exploration: {
    why: "exploration drew the case, and no rule lists it",
    live: "runs only the cases of the plan; `replay` sends such a case again",
  },
  confirmation: { why: "the second try is not recorded", live: SENDS_AGAIN },
};

/** The members of a probe or an answer that stand for something else than requests and answers of the case. */
const OF_MEMBER: Readonly<Record<string, Missing>> = {
  document: "document",
  documentLog: "document",
  errors: "run",
  uniqueValues: "run",
  wasAccepted: "run",
  moments: "run",
  trouble: "run",
  planned: "run",
  original: "run",
  clockOffsetSeconds: "time",
  mayMissWrites: "time",
  underWay: "time",
  publishedKeys: "time",
  callback: "callback",
};

/** Thrown when a rule asks for something that the record does not have. */
export class NotRecorded extends Error {
  override readonly name = "NotRecorded";
  readonly missing: Missing;

  constructor(missing: Missing) {
    super(MISSING[missing].why);
    this.missing = missing;
  }
}

/** @throws NotRecorded always */
export function notRecorded(missing: Missing): never {
  throw new NotRecorded(missing);
}

/**
 * A view of an object of which only some members are recorded.
 * @param missing what most other members stand for
 * @throws NotRecorded from the view, when another member is read
 */
export function onlyRecorded<T extends object>(
  members: Partial<T>,
  missing: Missing = "request",
): T {
  return new Proxy(members, {
    get(known, name, receiver): unknown {
      // `await` reads this member to see whether it is a promise.
      if (name === "then") return undefined;
      if (!Object.hasOwn(known, name)) throw new NotRecorded(OF_MEMBER[String(name)] ?? missing);
      return Reflect.get(known, name, receiver);
    },
  }) as T;
}

/**
 * An object of which some members are not recorded. Whether it has them is known.
 * @throws NotRecorded from the object, when one that is there is read
 */
export function hiding<T extends object>(
  thing: T,
  names: readonly (keyof T)[],
  missing: Missing = "server",
): T {
  for (const name of names)
    if (thing[name] !== undefined)
      Object.defineProperty(thing, name, { get: () => notRecorded(missing), enumerable: false });
  return thing;
}

/** A value, or `undefined` where something that it needs is not recorded. */
export async function unlessMissing<T>(value: () => Promise<T>): Promise<T | undefined> {
  try {
    return await value();
  } catch (error) {
    if (error instanceof NotRecorded) return undefined;
    throw error;
  }
}
