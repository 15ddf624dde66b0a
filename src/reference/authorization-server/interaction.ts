import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

import type Provider from "oidc-provider";
import type { InteractionResults } from "oidc-provider";

import { SUBJECT } from "../store.ts";
import type { ServerSteps } from "./steps.ts";

/** The path of the consent page, followed by the interaction's id. */
export const INTERACTION_PATH = "/interaction/";

/** Shows who signs in and what is requested, and reads the decision, of a person or a program. */
export async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  { isAllowed, redirectStatus }: ServerSteps,
): Promise<void> {
  const finish = async (result: InteractionResults): Promise<void> => {
    const location = await provider.interactionResult(request, response, result);
    response.writeHead(redirectStatus(), { location }).end();
  };
  try {
    const { params, grantId } = await provider.interactionDetails(request, response);
    const { client_id: clientId, scope, resource } = params as Readonly<Record<string, string>>;
    if (request.method !== "POST") {
      response.writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
      });
      response.end(page(clientId, scope));
      return;
    }
    const answer = new URLSearchParams(String(await buffer(request))).get("answer");
    if (!isAllowed(answer)) {
      await finish({
        error: "access_denied",
        error_description: "The person did not allow it.",
      });
      return;
    }
    const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
    const grant = known ?? new provider.Grant({ accountId: SUBJECT, clientId: clientId as string });
    // The library distinguishes its own scopes from the resource's.
    grant.addOIDCScope(scope as string);
    grant.addResourceScope(resource as string, scope as string);
    await finish({
      login: { accountId: SUBJECT },
      consent: { grantId: await grant.save() },
    });
  } catch {
    response.writeHead(400, { "content-type": "text/plain" });
    response.end("This page is of a request that is over, or was opened elsewhere.\n");
  }
}

function page(client = "", scope = ""): string {
  const items = scope.split(" ").map((word) => `<li>${escaped(word)}</li>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Allow ${escaped(client)}?</title>
<h1>Allow ${escaped(client)}?</h1>
<p>You sign in as ${escaped(SUBJECT)}. The application asks for:</p>
<ul>${items.join("")}</ul>
<form method="post">
<button name="answer" value="allow">Allow</button>
<button name="answer" value="refuse">Refuse</button>
</form>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
}
