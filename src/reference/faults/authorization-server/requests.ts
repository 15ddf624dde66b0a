import { secretOf } from "../../authorization-server/clients.ts";
import type { TokenRequest } from "../../authorization-server/steps.ts";
import { changingForm } from "../../patches.ts";
import type { Patch } from "../../steps.ts";

/** A parameter that the library ignores. It keeps the scopes of a request, as several requests may be under way at once. */
const WIDENED = "widened_scope";

/** Grants other scopes than the library would; `null` leaves the decision to it. */
export function widening(granted: (form: URLSearchParams) => string | null): Patch {
  return {
    ...changingForm((form) => {
      const scope = granted(form);
      if (scope === null) return;
      form.delete("scope");
      form.set(WIDENED, scope);
    }),
    tokenClaims: (original) => (claims, grant) => {
      const scope = grant.form.get(WIDENED);
      return { ...original(claims, grant), ...(scope !== null && { scope }) };
    },
  };
}

/** The authorization request that the code in a token request was issued for. */
export function authorizationOf({ form, memory }: TokenRequest): URLSearchParams | undefined {
  return memory.codes.get(form.get("code") ?? "");
}

/** Puts the right credentials of a client into a token request. */
export function authenticate(request: TokenRequest, name: string = clientNamed(request)): void {
  request.form.delete("client_id");
  request.form.delete("client_secret");
  request.authorization = `Basic ${Buffer.from(`${name}:${secretOf(name)}`).toString("base64")}`;
}

/** Authenticates one client, and then takes it for the one that the form names. */
export function mixingClients(grantType: string): Patch {
  return {
    tokenRequest: () => (request) => {
      const named = request.form.get("client_id");
      const authenticated = clientNamed(request);
      if (request.form.get("grant_type") !== grantType) return;
      if (named === null || named === authenticated) return;
      if (secretIn(request) === secretOf(authenticated)) authenticate(request, named);
    },
  };
}

export function basicOf({
  authorization = "",
}: TokenRequest): { readonly name: string; readonly secret: string } | undefined {
  const credentials = /^Basic (.+)$/.exec(authorization)?.[1];
  if (credentials === undefined) return undefined;
  const [name = "", secret = ""] = Buffer.from(credentials, "base64").toString().split(":");
  return { name, secret };
}

/** The client that a request names: in HTTP Basic if it uses that, otherwise in the form. Empty where it names none. */
export function clientNamed(request: TokenRequest): string {
  return basicOf(request)?.name ?? request.form.get("client_id") ?? "";
}

/** The client secret of a request, from the same place; `undefined` where there is none or it is empty in HTTP Basic. */
export function secretIn(request: TokenRequest): string | undefined {
  const basic = basicOf(request);
  return basic ? basic.secret || undefined : (request.form.get("client_secret") ?? undefined);
}
