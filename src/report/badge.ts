import { counted } from "../lib/words.ts";
import { html, toSource, unmarked } from "./html/markup.ts";
import { deploymentText } from "./layout.ts";
import { type Report, type Reporter, withPacks } from "./report.ts";

const LABEL = "org sync contract";
const HEIGHT = 20;
const PADDING = 6;
/** Average width of a character at 11 px; `textLength` makes the text fit in any font. */
const CHARACTER_WIDTH = 6.5;

/** The contrast of white on each colour is at least 4.5 to 1. */
const COLOURS = { green: "#24704a", red: "#b3261e", amber: "#8a5300", grey: "#4d5661" } as const;
/** With packs, the badge has the colour of the worst verdict. */
const WORST_FIRST = ["red", "amber", "grey", "green"] as const;
const LABEL_COLOUR = "#33393f";

/**
 * An SVG of one line for a README or a status page. It is green only for a whole run with the verdict
 * `conformant`. Its title names the deployment, what was judged, the date and the version of the rules.
 */
export const badge: Reporter = {
  file: "badge.svg",
  render(report) {
    const shown = withPacks(report).map((one) => {
      const [said, colour] = shownVerdict(one);
      const { pack } = one.plan;
      return { said: pack === undefined ? said : `${pack}: ${said}`, colour };
    });
    const words = shown.map(({ said }) => said).join("; ");
    const colours = new Set(shown.map(({ colour }) => colour));
    const colour = WORST_FIRST.find((one) => colours.has(one)) ?? "grey";
    const left = widthOf(LABEL);
    const right = widthOf(words);
    const width = left + right;
    const title = titleOf(report, words);
    return `${toSource(
      html`<svg
        xmlns="http://www.w3.org/2000/svg"
        width="${width}"
        height="${HEIGHT}"
        role="img"
        aria-label="${title}"
      >
        <title>${unmarked(title)}</title>
        <clipPath id="round"><rect width="${width}" height="${HEIGHT}" rx="3" /></clipPath>
        <g clip-path="url(#round)">
          <rect width="${left}" height="${HEIGHT}" fill="${LABEL_COLOUR}" />
          <rect x="${left}" width="${right}" height="${HEIGHT}" fill="${COLOURS[colour]}" />
        </g>
        <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
          <text x="${PADDING}" y="14" textLength="${left - 2 * PADDING}">${LABEL}</text>
          <text x="${left + PADDING}" y="14" textLength="${right - 2 * PADDING}">${words}</text>
        </g>
      </svg>`,
    )}\n`;
  },
};

/** A verdict in a few words. A fault of the suite itself takes the place of the verdict. */
function shownVerdict({
  verdict,
  coverage,
  interrupted,
  suiteErrors,
}: Report): [words: string, colour: keyof typeof COLOURS] {
  if (suiteErrors.length > 0) return ["no verdict", "grey"];
  switch (verdict) {
    case "conformant":
      return interrupted ? ["interrupted", "grey"] : ["conformant", "green"];
    case "non-conformant":
      return ["not conformant", "red"];
    case "partial":
      return [`partial: ${coverage.judged} of ${counted(coverage.total, "MUST case")}`, "grey"];
    case "incomplete":
      return [interrupted ? "interrupted" : "incomplete", "amber"];
  }
}

function titleOf({ target, coverage, startedAt, suite }: Report, words: string): string {
  return [
    `${deploymentText(target.deployment) || target.baseUrl}: ${words}`,
    `${coverage.judged} of ${counted(coverage.total, "MUST case")} judged`,
    startedAt.slice(0, "2025-01-01".length),
    `${suite.name} ${suite.version}, requirements ${suite.requirements}`,
  ].join("; ");
}

function widthOf(text: string): number {
  return Math.ceil(text.length * CHARACTER_WIDTH) + 2 * PADDING;
}
