import { NOT_ABOUT_THE_REQUEST } from "../../http/statuses.ts";

/** 511, RFC 6585 section 6. */
const HIGHEST_REGISTERED = 511;

/**
 * Whether a status of any endpoint of the server says nothing about the request: one of a gateway, or 0, which stands for no
 * response. Statuses above those that are registered are gateways' own.
 */
export function isUnclearStatus(status: number): boolean {
  return status === 0 || NOT_ABOUT_THE_REQUEST.has(status) || status > HIGHEST_REGISTERED;
}
