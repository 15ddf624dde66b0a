import { NOT_ABOUT_THE_REQUEST } from "../../http/statuses.ts";

/**
 * Whether a status of any endpoint of the server says nothing about the request. A server that fails
 * answers 500; a higher status usually comes from what is in front of it. 0 stands for no response.
 */
export function isUnclearStatus(status: number): boolean {
  return status === 0 || NOT_ABOUT_THE_REQUEST.has(status) || status > 500;
}
