import { charactersOf, neighbour } from "./characters.ts";
import { chosen, type Edit } from "./edit.ts";

/** Edits of a UUID. */
export const ID_EDITS: Readonly<Record<string, Edit>> = {
  groups: {
    what: "with its groups in another form",
    make: (right, n) => {
      const groups = right.split("-");
      return chosen(
        [
          groups.slice(0, -1).join("-"),
          groups.slice(1).join("-"),
          groups[0] ?? "",
          groups.at(-1) ?? "",
          groups.toReversed().join("-"),
          groups.slice(0, 2).join("-"),
          `${groups[0]}-0000-0000-0000-000000000000`,
          `00000000-0000-0000-0000-${groups.at(-1)}`,
          `${groups.slice(0, 4).join("-")}-000000000000`,
        ],
        n,
      );
    },
  },
  "another group": {
    what: "with another group",
    make: (right, n) => {
      const groups = right.split("-");
      return groups
        .map((one, at) =>
          at === n % groups.length ? charactersOf(one).map(neighbour).join("") : one,
        )
        .join("-");
    },
  },
};
