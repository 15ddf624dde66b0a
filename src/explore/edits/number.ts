import { chosen, type Edit } from "./edit.ts";

/** Notations of a number. */
export const NUMBER_EDITS: Readonly<Record<string, Edit>> = {
  text: {
    what: "as text",
    make: (right, n) =>
      chosen([right, `${right}.0`, ` ${right}`, `+${right}`, `${right}e0`, `0${right}`], n),
  },
  "with a unit": {
    what: "as text with more",
    make: (right, n) =>
      chosen(
        [
          `${right}s`,
          `${right}Z`,
          `${right} GMT`,
          `x${right}`,
          `${right},0`,
          `${right}n`,
          `${right}_000`,
        ],
        n,
      ),
  },
  date: {
    what: "as a date",
    make: (right, n) => {
      const date = new Date(Number(right) * 1000);
      if (Number.isNaN(date.getTime())) return `${right}T00:00:00Z`;
      return chosen(
        [date.toISOString(), date.toUTCString(), date.toISOString().slice(0, 10), String(date)],
        n,
      );
    },
  },
  hexadecimal: {
    what: "in another base",
    make: (right, n) =>
      chosen(
        [
          `0x${Number(right).toString(16)}`,
          `0b${Number(right).toString(2)}`,
          `0o${Number(right).toString(8)}`,
          Number(right).toString(36),
        ],
        n,
      ),
  },
  fraction: {
    what: "with a fraction",
    make: (right, n) => Number(right) + chosen([0.5, 0.999, 0.001], n),
  },
  negative: { what: "negative", make: (right) => -Number(right) },
  array: {
    what: "in an array",
    make: (right, n) => chosen<unknown>([[Number(right)], [right], [Number(right), 0]], n),
  },
  object: {
    what: "inside an object",
    make: (right, n) => ({
      [chosen(["$date", "value", "seconds", "$numberLong"], n)]: Number(right),
    }),
  },
};
