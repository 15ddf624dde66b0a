import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Steps } from "../model.ts";
import { documentWith } from "../patches.ts";
import { isChange, POINTERS, shaping } from "./shape.ts";
import { type Variants, without } from "./variant.ts";

/** The document of a receiver whose ids of changes are integers. */
const INTEGER_IDS = documentWith(["components", "schemas", "Change", "properties", "id"], {
  type: "integer",
});

/** Freedoms in what identifies a record, and where its id is. */
export const ID_VARIANTS: Variants = {
  "change-ids-numeric": {
    title: "Each organization numbers its changes from 1",
    newChangeId: numbering,
    ...INTEGER_IDS,
    documented: true,
  },
  "change-ids-64-bit": {
    title: "The ids of changes are integers beyond 2^53",
    documented: true,
    newChangeId: () => (store) => String(2n ** 53n + BigInt((store.changes += 1))),
    encode: (original) => (answer) => {
      const wire = original(answer);
      const { payload } = wire;
      return typeof payload === "string"
        ? { ...wire, payload: payload.replaceAll(/"id":"(\d+)"/g, '"id":$1') }
        : wire;
    },
    ...INTEGER_IDS,
  },
  "change-ids-odd": {
    title:
      "The ids of changes have a colon, a slash, a blank, a hash and letters that are not ASCII",
    newChangeId: () => (store) => `v1:2+é/ab #${(store.changes += 1)}`,
    submitChange: (original) => (call) => {
      const answer = original(call);
      const [, path = "", id = ""] =
        /^(.*\/changes\/)(.*)$/.exec(answer.headers?.["location"] ?? "") ?? [];
      return { ...answer, headers: { location: path + encodeURIComponent(id) } };
    },
  },
  "items-by-id": {
    title: "Lists are objects whose member names are the ids",
    uses: ["envelope"],
    ...shaping(({ items, paginationInfo }) => ({
      items: keyed(items, changeWithoutId),
      paginationInfo,
    })),
  },
  "items-by-id-alone": {
    title: "Lists are objects whose member names are the ids, and the profile does not say where",
    uses: ["envelope"],
    ...shaping(({ items, paginationInfo }) => ({
      meta: { paginationInfo },
      records: keyed(items),
    })),
    describe: (profile) => without(profile, POINTERS),
  },
  "items-in-pairs": {
    title: "Lists have pairs of an id and a record, which does not repeat it",
    uses: ["envelope"],
    ...shaping(({ items, paginationInfo }) => ({ items: items.map(pair), paginationInfo })),
    describe: (profile) => without(profile, POINTERS),
  },
  "change-sequence": {
    title: "A change is identified by its `sequence`, which the profile does not say",
    uses: ["envelope", "submission"],
    ...shaping(
      ({ items, paginationInfo }) => ({ items: items.map(sequenced), paginationInfo }),
      (data) => ({ data: sequenced(data) }),
    ),
    submitChange: (original) => (call) => {
      const { headers: _location, ...answer } = original(call);
      return answer;
    },
    describe: (profile) => without(profile, [...POINTERS, "changeId"]),
  },
};

function keyed(
  items: readonly unknown[],
  record: (item: JsonObject) => unknown = (item) => item,
): Record<string, unknown> {
  return Object.fromEntries(
    items.filter(isObject).map((item) => [String(item["id"]), record(item)]),
  );
}

function changeWithoutId(item: JsonObject): unknown {
  const { id: _, ...change } = item;
  return isChange(item) ? change : item;
}

function pair(item: unknown): unknown {
  if (!isObject(item)) return item;
  const { id, ...record } = item;
  return [id, record];
}

function sequenced(data: unknown): unknown {
  if (!isObject(data) || !isChange(data)) return data;
  const { id: sequence, ...change } = data;
  return { sequence, ...change };
}

/** Numbers the changes of each feed, including those that are removed again. */
function numbering(): Steps["newChangeId"] {
  const numbers = new WeakMap<object, number>();
  return (_store, feed) => {
    const number = (numbers.get(feed) ?? 0) + 1;
    numbers.set(feed, number);
    return number;
  };
}
