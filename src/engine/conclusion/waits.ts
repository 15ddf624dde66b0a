import { type Side, SIDES } from "../../contract/ids.ts";
import { capitalized, counted } from "../../lib/words.ts";
import type { Target } from "../../profile/target.ts";
import type { SetupProblem } from "../events.ts";

/** How many requests the server of each side did not get again, because the time for waiting was used up. */
export type Unwaited = Readonly<Record<Side, number>>;

/** The server of each side, and the key of the profile that says how it is sent requests. */
export const SERVERS: Readonly<
  Record<Side, { readonly name: string; readonly key: "request" | "authorizationServer" }>
> = {
  receiver: { name: "the deployment", key: "request" },
  "authorization-server": { name: "the authorization server", key: "authorizationServer" },
};

/** The end of the remedy for a limit of the request rate. */
export function keepBelow(side: Side): string {
  return `If it is a number of requests per second, ${SERVERS[side].key}.maxRequestsPerSecond in the profile keeps the run below it.`;
}

/** The set-up problems where a server asked the run to wait for longer than the profile allows. */
export function waitProblems(
  target: Pick<Target, "request" | "authorizationServer">,
  unwaited: Unwaited,
): SetupProblem[] {
  return SIDES.filter((side) => unwaited[side] > 0).map((side) => {
    const { name, key } = SERVERS[side];
    const answers = counted(unwaited[side], "answer");
    return {
      problem: `${capitalized(name)} asks to wait for longer than a run does, for example with \`Retry-After\`. A run waits for ${target[key]?.retryAfterSeconds} seconds in total. Where a request is refused again after each wait, it waits for a tenth of that, or 30 seconds. ${capitalized(answers)} proved nothing because of that.`,
      remedy: `Lift the limit for the suite, or raise ${key}.retryAfterSeconds in the profile. ${keepBelow(side)}`,
    };
  });
}
