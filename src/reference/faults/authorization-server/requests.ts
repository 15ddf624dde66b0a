import { secretOf } from "../../authorization-server/clients.ts";
import type { Patch } from "../../steps.ts";
import type { Fault } from "../fault.ts";

/**
 * Grants other scopes than the library would.
 * @param granted what a token request is granted; `null` leaves the decision to the library
 */
export function widening(
  granted: (form: URLSearchParams) => string | null,
): Pick<Fault, "more"> & Patch {
  let scope: string | null = null;
  return {
    step: "tokenRequest",
    patch:
      () =>
      ({ form }) => {
        scope = granted(form);
        if (scope !== null) form.delete("scope");
      },
    more: [
      {
        step: "tokenClaims",
        patch: (original) => (claims, grant) => ({
          ...original(claims, grant),
          ...(scope !== null && { scope }),
        }),
      },
    ],
  };
}

/** Puts the right credentials of a client into a token request. */
export function authenticate(
  request: { authorization: string | undefined; readonly form: URLSearchParams },
  name: string = clientNamed(request),
): void {
  request.form.delete("client_id");
  request.form.delete("client_secret");
  request.authorization = `Basic ${Buffer.from(`${name}:${secretOf(name)}`).toString("base64")}`;
}

/** The client that a request names: in HTTP Basic if it uses that, otherwise in the form. Empty where it names none. */
export function clientNamed({
  authorization,
  form,
}: {
  authorization: string | undefined;
  readonly form: URLSearchParams;
}): string {
  const basic = /^Basic (.+)$/.exec(authorization ?? "")?.[1];
  return basic === undefined
    ? (form.get("client_id") ?? "")
    : (Buffer.from(basic, "base64").toString().split(":")[0] ?? "");
}

/** The client secret of a request, from the same place; `undefined` where there is none or it is empty in HTTP Basic. */
export function secretIn({
  authorization,
  form,
}: {
  authorization: string | undefined;
  readonly form: URLSearchParams;
}): string | undefined {
  const basic = /^Basic (.+)$/.exec(authorization ?? "")?.[1];
  if (basic === undefined) return form.get("client_secret") ?? undefined;
  const secret = Buffer.from(basic, "base64").toString().split(":")[1];
  return secret === "" ? undefined : secret;
}
