import { refusing, skipped } from "../patches.ts";
import type { Variant } from "./variant.ts";

/** Freedoms in which `typ` a token must have. */
export const TYP_VARIANTS: readonly Variant[] = [
  {
    name: "at-jwt-only",
    title: "`typ` must be at+jwt, RFC 9068 section 4",
    uses: ["typ"],
    checkType: refusing(
      "checkType",
      ({ header }) => !/^(?:application\/)?at\+jwt$/i.test(String(header["typ"])),
    ),
  },
  {
    name: "typ-jwt-only",
    title: "`typ` must be JWT, in upper case",
    uses: ["typ"],
    checkType: refusing("checkType", ({ header }) => header["typ"] !== "JWT"),
  },
  {
    name: "typ-ignored",
    title: "`typ` is ignored",
    uses: ["typ"],
    checkType: skipped,
  },
  {
    name: "typ-absent-only",
    title: "`typ` must be absent",
    uses: ["typ"],
    checkType: refusing("checkType", ({ header }) => header["typ"] !== undefined),
  },
];
