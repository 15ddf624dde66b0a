import type { Target } from "../profile/target.ts";
import type { SetupProblem } from "./events.ts";

/** How many requests each server did not get again, because the time for waiting was used up. */
export interface Unwaited {
  readonly request: number;
  readonly authorizationServer: number;
}

const SERVERS = {
  request: "The deployment",
  authorizationServer: "The authorization server",
} as const;

/** The set-up problems where a server asked the run to wait for longer than the profile allows. */
export function waitProblems(
  target: Pick<Target, "request" | "authorizationServer">,
  unwaited: Unwaited,
): SetupProblem[] {
  return (["request", "authorizationServer"] as const).flatMap((key) => {
    if (unwaited[key] === 0) return [];
    const answers = unwaited[key] === 1 ? "1 answer" : `${unwaited[key]} answers`;
    return {
      problem: `${SERVERS[key]} asks to wait, as with Retry-After, for longer than the ${target[key]?.retryAfterSeconds} seconds that a run waits in total: ${answers} proved nothing because of that.`,
      remedy: `Lift the limit for the suite, or raise ${key}.retryAfterSeconds in the profile. If it is a number of requests per second, ${key}.maxRequestsPerSecond keeps the run below it.`,
    };
  });
}
