import { html, type Markup } from "./markup.ts";

/** Thinner parts could not be seen, in percent. */
const THINNEST = 1.5;

/**
 * A ring of parts, for eyes alone: its figures have to stand beside it.
 * @param parts the class of each part, which gives its colour, and its size; at least one is not 0
 */
export function ring(parts: readonly (readonly [kind: string, size: number])[]): Markup {
  const some = parts.filter(([, size]) => size > 0);
  const whole = some.reduce((sum, [, size]) => sum + size, 0);
  const widths = some.map(([, size]) => Math.max(THINNEST, (100 * size) / whole));
  const drawn = widths.reduce((sum, width) => sum + width, 0);
  let from = 0;
  return html`<svg class="ring" viewBox="0 0 42 42" aria-hidden="true">
    ${some.map(([kind], at) => {
      const width = (100 * (widths[at] ?? 0)) / drawn;
      from += width;
      return html`<circle
        class="${kind}"
        cx="21"
        cy="21"
        r="16"
        pathLength="100"
        stroke-dasharray="${width.toFixed(2)} 100"
        stroke-dashoffset="${(width - from).toFixed(2)}"
      />`;
    })}
  </svg>`;
}
