import { TIME_CLAIMS } from "../../contract/claims.ts";
import type { TokenNote } from "../../http/exchange.ts";
import { counted } from "../../lib/counted.ts";
import type { Difference } from "../../probe/difference/difference.ts";
import { memberValue } from "../text/member-value.ts";
import { type Content, html, type Markup } from "./markup.ts";

/** Claims that always differ between tokens that were minted at different seconds. */
const OF_THE_MINTING: ReadonlySet<string> = new Set(TIME_CLAIMS);

/** A header parameter or claim of both tokens; `undefined` where it is absent. */
interface Member {
  readonly part: "header" | "claim";
  readonly name: string;
  readonly control: unknown;
  readonly probe: unknown;
  readonly differs: boolean;
}

/**
 * The members of the tokens of control and probe: the differing ones, the others folded. Empty when none
 * differs.
 * @param differences of the evidence
 */
export function tokens(
  control: TokenNote,
  probe: TokenNote,
  differences: readonly Difference[],
): Content {
  const meant = (part: Member["part"], name: string): boolean =>
    !OF_THE_MINTING.has(name) || differences.some((one) => one.part === part && one.name === name);
  const members = [
    ...pairs("header", control.header, probe.header),
    ...pairs("claim", control.claims, probe.claims),
  ].map((pair): Member => ({
    ...pair,
    differs:
      JSON.stringify(pair.control) !== JSON.stringify(pair.probe) && meant(pair.part, pair.name),
  }));
  if (!members.some(({ differs }) => differs)) return undefined;
  const same = members.filter(({ differs }) => !differs);
  return html`<table class="tokens">
      <caption>
        Tokens, decoded
      </caption>
      <thead>
        <tr>
          <th scope="col">Member</th>
          <th scope="col">Control</th>
          <th scope="col">Probe</th>
        </tr>
      </thead>
      <tbody>
        ${members.filter(({ differs }) => differs).map(differingRow)}
      </tbody>
    </table>
    ${
      same.length > 0 &&
      html`<details class="same-members">
        <summary>${counted(same.length, "member")} that are the same</summary>
        <dl>
          ${same.map(
            ({ part, name, probe: shown }) =>
              html`<div>
                <dt>${part} <code>${name}</code></dt>
                <dd><code>${JSON.stringify(shown)}</code></dd>
              </div>`,
          )}
        </dl>
      </details>`
    }`;
}

function pairs(
  part: Member["part"],
  control: TokenNote["claims"] = {},
  probe: TokenNote["claims"] = {},
): Omit<Member, "differs">[] {
  const [good, sent] = [control, probe].map((object) => new Map(Object.entries(object)));
  return [...new Set([...Object.keys(control), ...Object.keys(probe)])].map((name) => ({
    part,
    name,
    control: good?.get(name),
    probe: sent?.get(name),
  }));
}

function differingRow({ part, name, control, probe }: Member): Markup {
  const cell = (value: unknown): Markup =>
    value === undefined
      ? html`<td class="none">absent</td>`
      : html`<td><code>${memberValue(part, name, value)}</code></td>`;
  return html`<tr class="differs">
    <th scope="row">${part} <code>${name}</code> <mark>differs</mark></th>
    ${cell(control)}${cell(probe)}
  </tr>`;
}
