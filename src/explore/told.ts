/** The most cases of one rule: the first ones tell enough, and the others are counted. */
const MOST_OF_A_RULE = 4;

/** What exploration has told already, so that each violation is told once. */
export interface Told {
  /** Whether the part of a request by which a rule is violated has a case, or the rule has enough. */
  readonly isEnough: (rule: string, part: string) => boolean;
  readonly add: (rule: string, part: string) => void;
}

export function createTold(): Told {
  const parts = new Map<string, Set<string>>();
  const of = (rule: string): Set<string> => parts.get(rule) ?? new Set();
  return {
    isEnough: (rule, part) => of(rule).has(part) || of(rule).size >= MOST_OF_A_RULE,
    add: (rule, part) => parts.set(rule, of(rule).add(part)),
  };
}
