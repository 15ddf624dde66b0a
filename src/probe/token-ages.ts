/** The age of good tokens other than the controls', whose age is 0. See `Session.newAge`. */
export const GOOD_AGE = 1;
/** The age of tokens that the issuer has not signed. */
export const FORGED_AGE = 2;
const FIRST_AGE = 3;
/** The number of further ages that are distinct within one second. */
const AGES = 250;

/** Creates the further ages of a run, one after another. */
export function createAges(): () => number {
  let ages = 0;
  return () => FIRST_AGE + (ages++ % AGES);
}
