import { createHash } from "node:crypto";

import { FAULTS } from "../reference/index.ts";
import type { RunCase } from "./clean-run.ts";
import { complaint, type Proof, prove, type ReceiverBuild } from "./prove.ts";
import { type Plain, touchedBy } from "./touched.ts";

/** How many of the cases that a build cannot change are run all the same: one in this many. */
const ONE_IN = 20;
/** From this share of the cases on, a whole run costs about the same. */
const MOST_OF_ALL = 0.8;
/** How the rules of the authorization server begin. */
const OF_SERVER = "authorization-server.";
/** What a pattern may contain without being one. */
const PLAIN_ID = /^[\w./@-]+$/;

/**
 * Proves a fault or variant by the cases that it can change, all cases of its own rule, those that judge all answers, and one in
 * twenty of the others. These must come out as in the clean run; every other case is taken to come out so. Where the
 * proof does not hold, all cases run.
 * @param draw what the sample depends on
 */
export async function provePart(
  subject: ReceiverBuild,
  plain: Plain,
  draw: string,
): Promise<Proof> {
  const touched = await touchedBy(subject, plain);
  if (touched === "all") return prove(subject);
  const { cases } = plain.clean;
  const rule = FAULTS.find(({ name }) => name === subject.name)?.rule;
  const isTouched = ({ id, rule: own, ofAnswers }: RunCase): boolean =>
    touched !== "server" && (touched.has(id) || own === rule || ofAnswers);
  const untouched = cases.filter((one) => !isTouched(one));
  const sample = untouched.filter(({ id }) => isDrawn(`${draw} ${subject.name} ${id}`));
  if (untouched.length < cases.length * (1 - MOST_OF_ALL)) return prove(subject);
  const proof =
    touched === "server"
      ? await prove(subject, [
          `${OF_SERVER}*`,
          ...idsOf(sample).filter((id) => PLAIN_ID.test(id) && !id.startsWith(OF_SERVER)),
        ])
      : await prove(subject, [], undefined, idsOf([...cases.filter(isTouched), ...sample]));
  const strayed = sample.filter(({ id }) => proof.seen.some((one) => one.id === id));
  const whole = { ...proof, strayed: idsOf(strayed) };
  return complaint(whole) === undefined ? whole : again(subject, whole);
}

/** A whole run, in which a case that strayed is still named. */
async function again(subject: ReceiverBuild, { strayed = [] }: Proof): Promise<Proof> {
  const proof = await prove(subject);
  return { ...proof, strayed };
}

function idsOf(cases: readonly RunCase[]): string[] {
  return cases.map(({ id }) => id);
}

function isDrawn(text: string): boolean {
  return createHash("sha256").update(text).digest().readUInt32BE() % ONE_IN === 0;
}
