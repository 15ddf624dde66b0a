import { isOpenQuestion, observedValues, tellsByAbsence } from "../report/compare.ts";
import type { StoredReport } from "../report/stored.ts";
import { toldApart } from "../report/text/shapes.ts";
import { byText } from "./fleet-file.ts";

/** Something that the contract leaves open and that deployments do differently. */
export interface OpenQuestion {
  readonly title: string;
  readonly answers: readonly Answer[];
}

/** One behaviour, with the deployments that show it. */
export interface Answer {
  /** `null` when nothing of the kind was seen, though it would have been. */
  readonly value: string | null;
  /** Names of the deployments, in order. */
  readonly names: readonly string[];
}

export interface OpenQuestions {
  add(name: string, observations: StoredReport["observations"]): void;
  /** The differences between the deployments of these names, in the order of the reports. */
  differences(wanted: ReadonlySet<string>): readonly OpenQuestion[];
}

export function createOpenQuestions(): OpenQuestions {
  const everybody: string[] = [];
  const seen = new Map<string, { title: string; answers: Map<string, string[]> }>();
  return {
    add(name, observations) {
      everybody.push(name);
      for (const one of observations.filter(isOpenQuestion)) {
        const { id, title } = one;
        const value = observedValues(one).toSorted(byText).join("; ");
        const { answers } = seen.get(id) ?? { answers: new Map<string, string[]>() };
        seen.set(id, { title, answers });
        answers.set(value, [...(answers.get(value) ?? []), name]);
      }
    },
    differences: (wanted) =>
      [...seen].flatMap(([id, { title, answers }]) => {
        const all = [...answers]
          .map(([value, names]) => [value, names.filter((name) => wanted.has(name))] as const)
          .filter(([, names]) => names.length > 0);
        const values = toldApart(all.map(([value]) => value));
        const found = all.map(([value, names], at): Answer => ({
          value: values[at] ?? value,
          names,
        }));
        const named = new Set(found.flatMap(({ names }) => names));
        const others = everybody.filter((name) => wanted.has(name) && !named.has(name));
        if (tellsByAbsence(id) && others.length > 0) found.push({ value: null, names: others });
        if (found.length < 2) return [];
        const [, operation] = id.split("@");
        const where = operation === undefined || title.includes(operation) ? "" : ` @${operation}`;
        return [{ title: title + where, answers: found.toSorted(commonFirst) }];
      }),
  };
}

function commonFirst(a: Answer, b: Answer): number {
  return b.names.length - a.names.length || byText(a.value ?? "", b.value ?? "");
}
