import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** What a request may do: pass, pass with a new cookie, or nothing. */
export type Admission =
  | { readonly is: "admitted" }
  | { readonly is: "signed in"; readonly cookie: string }
  | { readonly is: "refused"; readonly reason: string };

/** Decides which requests reach the workbench. */
export interface Gate {
  /** The folder of every page: a slash, a random name, a slash. */
  readonly folder: string;
  /** The path with the token. It signs in one browser, once. */
  readonly entrance: string;
  admit(request: Pick<IncomingMessage, "method" | "url" | "headers">): Admission;
}

const COOKIE = "orgsync-workbench";

/**
 * Makes a gate with new secrets.
 * @param authority host and port of the server, which `Host` must name exactly. So a name that a stranger's DNS points to this
 * machine does not pass.
 */
export function createGate(authority: string): Gate {
  const folder = `/${secret()}/`;
  const token = secret();
  const session = secret();
  let isTokenUsed = false;

  return {
    folder,
    entrance: `${folder}?token=${token}`,
    admit({ method, url = "", headers }) {
      if (headers.host !== authority) return refused("Host is not the address of this page.");
      const { origin } = headers;
      // Browsers send Origin with every request that is no plain navigation or reading of the own page.
      const isOwn = origin === undefined ? method === "GET" : origin === `http://${authority}`;
      if (!isOwn) return refused("The request comes from another page.");
      if (cookiesOf(headers.cookie).some((value) => isSame(value, session))) {
        return { is: "admitted" };
      }
      const given = url.startsWith(`${folder}?token=`) ? url.slice(`${folder}?token=`.length) : "";
      if (method !== "GET" || !isSame(given, token)) {
        return refused("Use the link that the command has printed.");
      }
      if (isTokenUsed) return refused("This link has been used. Start the command again.");
      isTokenUsed = true;
      const cookie = `${COOKIE}=${session}; Path=${folder}; HttpOnly; SameSite=Strict`;
      return { is: "signed in", cookie };
    },
  };
}

function secret(): string {
  return randomBytes(24).toString("base64url");
}

function refused(reason: string): Admission {
  return { is: "refused", reason };
}

function cookiesOf(field = ""): string[] {
  return field.split("; ").flatMap((pair) => {
    const [name, value] = pair.split("=", 2);
    return name === COOKIE && value !== undefined ? [value] : [];
  });
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
