import { counted } from "../../lib/words.ts";
import type { Edited, Sent } from "../api.ts";
import { element } from "./dom.ts";
import { server } from "./server.ts";
import { commandList } from "./setup.ts";
import type { Voice } from "./voice.ts";

/**
 * A function that sends a request. A write, and what needs commands of the profile, is asked about first.
 * @param allow lets the commands of the profile run
 */
export function createSending(
  voice: Voice,
  allow: () => Promise<void>,
  onSent: (sent: Sent) => void,
): (edited: Edited, from?: string) => void {
  async function send(edited: Edited, from: string | undefined, confirmed?: true): Promise<void> {
    voice.clear();
    voice.say("Sending …");
    const began = from === undefined ? {} : { from };
    const came = await server.send({ edited, ...began, ...(confirmed && { confirmed }) });
    switch (came.is) {
      case "sent":
        return onSent(came.sent);
      case "needs-confirmation": {
        const left = `${counted(came.writesLeft, "write")} may still be accepted.`;
        const content = element("p", {}, came.because, " ", left);
        return voice.ask("This may write", content, {
          words: "Send this write",
          act: () => void voice.attempt(() => send(edited, from, true)),
        });
      }
      case "needs-commands":
        return voice.ask("It needs commands of the profile", commandList(came.commands), {
          words: "Let these commands run",
          act: () => void voice.attempt(() => allow().then(() => send(edited, from, confirmed))),
        });
      case "refused":
        return voice.refuse("It was not sent", came);
    }
  }
  return (edited, from) => void voice.attempt(() => send(edited, from));
}
