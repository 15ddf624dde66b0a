import { expect, test } from "vitest";

import { outcomeOf } from "./judge.ts";

/** A key, and a certificate of it that has expired. Nobody has the private one. */
const CERTIFIED = {
  kty: "EC",
  crv: "P-256",
  x: "nbdOJwGDqB3FWLnp2Aowp6TuJ7yO_4nu2_6tsnq2Mk4",
  y: "g9MGQzmaWj-HW5syBPInBLFQ5djOKlZYUyZ-t-YQnas",
  kid: "certified",
};
const CERTIFICATE =
  "MIIBbDCCAROgAwIBAgIUKWhBdVOWviwZSxzVr3JGpHpRM6YwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBazAeFw0yNjExMjMyMjMxNDFaFw0yNjExMjQyMjMxNDFaMAwxCjAIBgNVBAMMAWswWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASdt04nAYOoHcVYuenYCjCnpO4nvI7/ie7b/q2yerYyToPTBkM5mlo/h1ubMgTyJwSxUOXYzipWWFMmfrfmEJ2ro1MwUTAdBgNVHQ4EFgQUsctZ6NNrntvZaZ4zgMRH5nJok78wHwYDVR0jBBgwFoAUsctZ6NNrntvZaZ4zgMRH5nJok78wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAh9QeK8JMdU0iSsIpB+lobc/UkdEQgdPQv91TF9kaWSrAiEA/uUKz2YzRS6g2uyNZxYBVfbCiALp9inbIoN5Nr6CiZg=";

test.for<[what: string, outcome: string, x5c: unknown]>([
  ["none", "not-applicable", undefined],
  ["its own, which has expired", "pass", [CERTIFICATE]],
  ["text in place of an array", "warn", CERTIFICATE],
  ["base64url", "warn", [CERTIFICATE.replaceAll("/", "_").replaceAll("+", "-")]],
  ["PEM", "warn", [`-----BEGIN CERTIFICATE-----\n${CERTIFICATE}\n-----END CERTIFICATE-----`]],
  ["half of it", "warn", [CERTIFICATE.slice(0, 200)]],
])("the certificate of a key: %s", async ([, outcome, x5c]) => {
  const habits = { furtherKeys: [{ ...CERTIFIED, ...(x5c !== undefined && { x5c }) } as object] };
  expect(await outcomeOf("keys/certificate", habits)).toBe(outcome);
});

test("a certificate that says that its key is for RSASSA-PSS alone", async () => {
  const n =
    "yRo6aCRWGscDeIMT0gBxToAPyHY-gfk2ZsxDcjsNR2PMXqcI3ED43b0BczPT-Zd5qOqRpFNViZVhQMwYDjSFsC9V_JidJZD4a_uOGote_3n9MImq28RkxqF1rib0c_wBHH-5sdUuEnFJQw1oaAnrgAbkCGhJC2vAKrfYf5_6bMU";
  const certificate =
    "MIICWjCCAY+gAwIBAgIUAqGXIo8grjwv5sVoJe8UrJsVFSowQQYJKoZIhvcNAQEKMDSgDzANBglghkgBZQMEAgEFAKEcMBoGCSqGSIb3DQEBCDANBglghkgBZQMEAgEFAKIDAgFeMAwxCjAIBgNVBAMMAWEwHhcNMjYxMTI0MDAyNDMxWhcNMjYxMjI0MDAyNDMxWjAMMQowCAYDVQQDDAFhMIGdMAsGCSqGSIb3DQEBCgOBjQAwgYkCgYEAyRo6aCRWGscDeIMT0gBxToAPyHY+gfk2ZsxDcjsNR2PMXqcI3ED43b0BczPT+Zd5qOqRpFNViZVhQMwYDjSFsC9V/JidJZD4a/uOGote/3n9MImq28RkxqF1rib0c/wBHH+5sdUuEnFJQw1oaAnrgAbkCGhJC2vAKrfYf5/6bMUCAwEAAaNTMFEwHQYDVR0OBBYEFL00l24s/rTc/paeOPOws5CCXQXIMB8GA1UdIwQYMBaAFL00l24s/rTc/paeOPOws5CCXQXIMA8GA1UdEwEB/wQFMAMBAf8wQQYJKoZIhvcNAQEKMDSgDzANBglghkgBZQMEAgEFAKEcMBoGCSqGSIb3DQEBCDANBglghkgBZQMEAgEFAKIDAgFeA4GBAKXkfzH+kooCa+Up0N1LxZgmAnK5BAlbpuQm26cQ50UPB+/B4WyNbRHxmmVxy1SJ2iskQZjDcpxUS8+MJqKeZBWwEEl8Uf026Ky+z6rxkKOOkKmE8L8TEG0AS1hWV/FLmyYSfrn0Is1tzaNxdXTD+KkNsKnBRnbaDBLV1s6py2cs";
  const key = { kty: "RSA", n, e: "AQAB", kid: "certified", alg: "PS256", x5c: [certificate] };
  expect(await outcomeOf("keys/certificate", { furtherKeys: [key] })).toBe("pass");
});

test.each(["x5t", "x5t#S256"])(
  "a token that names its key by `%s` in place of `kid`",
  async (name) => {
    const habits = { otherKey: true, publishedKey: { [name]: "print" } };
    const header = { kid: undefined, [name]: "print" };
    expect(await outcomeOf("keys/kid@service", { ...habits, header })).toBe("pass");
  },
);

test("the certificate of another key", async () => {
  expect(await outcomeOf("keys/certificate", { publishedKey: { x5c: [CERTIFICATE] } })).toBe(
    "warn",
  );
});

test.for<[what: string, outcome: string, change: (x: string) => string]>([
  ["in full length", "pass", (x) => x],
  ["padded", "warn", (x) => `${x}=`],
  ["with a sign byte", "warn", (x) => bytes(x, (all) => Buffer.concat([Buffer.alloc(1), all]))],
  ["without its first byte", "warn", (x) => bytes(x, (all) => all.subarray(1))],
])("the coordinate of a key of an elliptic curve: %s", async ([, outcome, change]) => {
  const key = { ...CERTIFIED, x: change(CERTIFIED.x) };
  expect(await outcomeOf("keys/integers", { furtherKeys: [key] })).toBe(outcome);
});

function bytes(text: string, change: (all: Buffer) => Buffer): string {
  return change(Buffer.from(text, "base64url")).toString("base64url");
}
