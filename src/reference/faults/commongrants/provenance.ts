import { isObject, type JsonObject } from "../../../lib/json.ts";
import type { Call } from "../../model.ts";
import { Refusal } from "../../refusal.ts";
import type { Change } from "../../store.ts";
import { type FaultEntry, type Faults, ofEach, ownedBy } from "../fault.ts";

/** What a revision takes from the body, and how. */
const TAKEN: readonly {
  readonly name: string;
  readonly title: string;
  readonly how: string;
  readonly of: (body: JsonObject, change: Change) => Partial<Change> & JsonObject;
}[] = [
  {
    name: "source",
    title: "the source of a revision",
    how: "Clients know best who they are, it was thought.",
    of: ({ source }) => (typeof source === "string" ? { source } : {}),
  },
  {
    name: "times",
    title: "the times of a revision",
    how: "The entity is made of the body, and its times have defaults only.",
    of: ({ createdAt, lastModifiedAt }) =>
      typeof createdAt === "string" ? { createdAt, lastModifiedAt: String(lastModifiedAt) } : {},
  },
  {
    name: "status",
    title: "the words of its status",
    how: "The status is a part of the entity, and the handler sets its value alone.",
    of: ({ status }, change) =>
      isObject(status) && typeof status["description"] === "string"
        ? { status: { ...change.status, description: status["description"] } }
        : {},
  },
  {
    name: "actor",
    title: "the author of a revision",
    how: "The form of the web page sends it, and so does everybody.",
    of: ({ author }) => (typeof author === "string" ? { author } : {}),
  },
];

/** Faults in who a change is said to be from. */
export const PROVENANCE_FAULTS: Faults = ownedBy("commongrants.provenance", {
  ...ofEach(TAKEN, ({ name, title, how, of }): Readonly<Record<string, FaultEntry>> => ({
    [`cg-${name}-from-body`]: {
      title: `Takes ${title} from the body`,
      how,
      revision: (original) => (change, call) => taking(original(change, call), call, of),
    },
  })),
  "cg-source-from-body-of-submission": {
    title: "Takes the source of a submission from its body",
    how: "The two writes have handlers of their own.",
    revision: (original) => (change, call) =>
      call.operation === "submitChange"
        ? taking(original(change, call), call, TAKEN[0]?.of ?? (() => ({})))
        : original(change, call),
  },
  "cg-id-from-body": {
    title: "Takes the id of a revision from the body, and refuses other unknown members",
    how: "Clients that work offline give their changes ids.",
    patchErrors: (original) => (body, id) => {
      const { revisionId: _, changeId: __, ...members } = isObject(body) ? body : {};
      const own = ["source", "status", "createdAt", "author"].filter((name) =>
        Object.hasOwn(members, name),
      );
      if (own.length > 0) throw new Refusal(400, "The body has unknown members.");
      return original(body, id);
    },
    revision: (original) => (change, call) =>
      taking(original(change, call), call, ({ revisionId }) =>
        typeof revisionId === "string" ? { id: revisionId } : {},
      ),
  },
});

function taking(
  change: Change,
  { body }: Call,
  of: (body: JsonObject, change: Change) => Partial<Change> & JsonObject,
): Change {
  return isObject(body) ? { ...change, ...of(body, change) } : change;
}
