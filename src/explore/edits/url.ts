import { otherCaseOf } from "./characters.ts";
import { chosen, type Edit } from "./edit.ts";

/** Edits of a URL. */
export const URL_EDITS: Readonly<Record<string, Edit>> = {
  "another scheme": {
    what: "with another scheme",
    make: (right, n) =>
      right.replace(
        /^\w+:/,
        chosen(["http:", "https:", "ftp:", "HTTPS:", ""], n + Number(right.startsWith("http:"))),
      ),
  },
  "another host": {
    what: "on another host",
    make: (right, n) =>
      right.replace(
        /^(\w+:\/\/)([^/:?#]*)/,
        (_all, scheme: string, host: string) =>
          scheme +
          chosen(
            [
              `x.${host}`,
              `${host}.x.example`,
              `x${host}`,
              `x@${host}`,
              `${host}@x.example`,
              `${host}.`,
              `x.example/${host}`,
              `${host}\\.x.example`,
              `${host}x`,
              "x.example",
            ],
            n,
          ),
      ),
  },
  "another port": {
    what: "on another port",
    make: (right, n) =>
      right.replace(
        /^(\w+:\/\/[^/:?#]*)(:\d+)?/,
        (_all, start: string, port = "") =>
          start +
          chosen([port === "" ? ":1" : "", ":8443", `${port}0`, `${port || ":44"}3`, ":0", ":"], n),
      ),
  },
  "another path": {
    what: "with another path",
    make: (right, n) => {
      const [, start = "", path = ""] = /^(\w+:\/\/[^/?#]*)(.*)$/s.exec(right) ?? ["", right, ""];
      const bare = path.replace(/\/$/, "");
      const last = bare.slice(bare.lastIndexOf("/") + 1);
      return (
        start +
        chosen(
          [
            bare.slice(0, bare.lastIndexOf("/")),
            `${bare}/v2`,
            `${bare}/orgs`,
            `/x${bare}`,
            `${bare}/../x`,
            `/${bare}`,
            `${bare}x`,
            `${bare}-x`,
            `/./x/..${bare}`,
            bare.replace(last, otherCaseOf(last)),
            `${bare}/.`,
            "/x",
            bare.replace(/^\//, "/%2e/"),
            bare.replace(last, last.slice(0, -1)),
          ],
          n,
        )
      );
    },
  },
  "a query": {
    what: "with a query or a fragment",
    make: (right, n) => right + chosen(["?", "#", "?x=1", "#x", "/?", "/#", ";x=1", "?#", "&x"], n),
  },
  "without its scheme": {
    what: "without its scheme",
    make: (right, n) => right.replace(/^\w+:/, "").slice(n % 2 === 0 ? 2 : 0),
  },
};
