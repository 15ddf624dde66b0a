/**
 * The authorization server's side, for everybody but its own rules in `suites/authorization-server/`: the side of a run, the
 * connection and the tokens that `doctor`, `token` and the workbench ask for, and what they report.
 */
export { connect, type Connection, type ConnectionOptions } from "./protocol/connection.ts";
export { ConsentFailed } from "./protocol/consent.ts";
export { readKeySet } from "./protocol/key-set.ts";
export { listenForRedirects } from "./protocol/redirect-listener.ts";
export { authorizationServerSide, type ServerSideOptions } from "./side.ts";
export { createIssuedTokens, type IssuedToken, type IssuedTokens } from "./tokens/issued.ts";
export { runTokenCommand } from "./tokens/token-command.ts";
