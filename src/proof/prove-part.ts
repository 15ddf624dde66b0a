import { createHash } from "node:crypto";

import { FAULTS } from "../reference/index.ts";
import { casesToRun, type Plain } from "./cases-to-run.ts";
import type { CleanRun, RunCase } from "./clean-run.ts";
import { complaint, type Proof, prove, type ReceiverBuild } from "./prove.ts";

/** One build in this many runs whole, though only some of its cases would have to run. */
const ONE_IN = 20;
/** From this share of the cases on, a whole run costs about the same. */
const MOST_OF_ALL = 0.8;
/** The rules of the authorization server, as a pattern and as the beginning of their ids. */
const OF_SERVER = { pattern: "authorization-server.*", begin: "authorization-server." };

/**
 * Proves a fault or variant by the cases that must run; see `casesToRun`. Every other case is taken to come out as in the clean run.
 * Where the proof does not hold, all cases of its rule run as well, and then all cases. In one build of twenty all cases run at once.
 * @param draw what the sample depends on
 */
export async function provePart(
  subject: ReceiverBuild,
  plain: Plain,
  draw: string,
): Promise<Proof> {
  const toRun = await casesToRun(subject, plain);
  if (toRun === "all") return prove(subject);
  const { cases } = plain.clean;
  const isTaken = ({ id }: Pick<RunCase, "id">): boolean =>
    toRun === "server" ? !id.startsWith(OF_SERVER.begin) : !toRun.has(id);
  if (!isDrawn(`${draw} ${subject.name}`)) {
    const rule = FAULTS.find(({ name }) => name === subject.name)?.rule;
    const ofRule = cases.filter((one) => one.rule === rule).map(({ id }) => id);
    const tries =
      toRun === "server" ? [] : [toRun, ...(rule ? [new Set([...toRun, ...ofRule])] : [])];
    if (toRun === "server") {
      const proof = await prove(subject, [OF_SERVER.pattern]);
      if (complaint(proof) === undefined) return proof;
    }
    for (const ids of tries) {
      if (ids.size > cases.length * MOST_OF_ALL) break;
      const proof = await prove(subject, [], undefined, [...ids]);
      if (complaint(proof) === undefined) return proof;
    }
  }
  return provenWhole(subject, plain.clean, isTaken);
}

/** A whole run, in which a case is named that was taken to come out otherwise. */
async function provenWhole(
  subject: ReceiverBuild,
  { cases }: CleanRun,
  isTaken: (one: Pick<RunCase, "id">) => boolean,
): Promise<Proof> {
  const proof = await prove(subject);
  const known = new Map(cases.map(({ id, outcome }) => [id, outcome]));
  const strayed = proof.seen.filter((one) => isTaken(one) && known.get(one.id) !== one.outcome);
  return { ...proof, strayed: strayed.map(({ id }) => id) };
}

function isDrawn(text: string): boolean {
  return createHash("sha256").update(text).digest().readUInt32BE() % ONE_IN === 0;
}
