import type { Result } from './comparison.js';
import type { Section } from './report.js';

const OURS = 'identity broker';
const WIDTH = 760;
const [LABEL_X, BAR_X, BAR_WIDTH] = [16, 250, 420] as const;
const [TITLE_HEIGHT, ROW_HEIGHT, BAR_HEIGHT, GAP, TOP] = [30, 26, 16, 14, 56] as const;

/** Follows the reader's color scheme, where the viewer says what it is. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2430 }
  .title { font-weight: 600 }
  .small { font-size: 12px; fill: #5b6472 }
  .ours { fill: #2456d6 } .peer { fill: #9aa4b5 } .limit { fill: none; stroke: #9aa4b5; stroke-dasharray: 3 2 }
  .ground { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e7eaf0 } .small { fill: #a3acbb }
    .ours { fill: #7ea2ff } .peer { fill: #667084 } .limit { stroke: #667084 } .ground { fill: #14171d }
  }`;

/**
 * Answers per second of the service beside its peers and the physical limit, as an SVG picture. Bars are to scale within
 * an operation, not between operations. Operations without anything to compare with are left out.
 * @param subtitle when and where it was measured
 */
export function chartOf(sections: readonly Section[], subtitle: string): string {
  const compared = sections.filter(({ results }) => hasBoth(results));
  const heights = compared.map(({ results }) => TITLE_HEIGHT + results.length * ROW_HEIGHT + GAP);
  const height = TOP + heights.reduce((sum, each) => sum + each, 0);
  const groups = compared.map((section, index) => {
    const y = TOP + heights.slice(0, index).reduce((sum, each) => sum + each, 0);
    return groupOf(section, y);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="t">
<title id="t">Answers per second of the identity broker, its peers and the limits</title>
<style>${STYLE}
</style>
<rect class="ground" width="${WIDTH}" height="${height}"/>
<text class="title" x="${LABEL_X}" y="26">Answers per second</text>
<text class="small" x="${LABEL_X}" y="44">${escaped(subtitle)}. Dashed: what the machine can do at most.</text>
${groups.join('\n')}
</svg>
`;
}

function hasBoth(results: readonly Result[]): boolean {
  return results.some(({ name }) => name.startsWith(OURS)) && results.some(({ name }) => !name.startsWith(OURS));
}

function groupOf({ title, results }: Section, y: number): string {
  const most = Math.max(...results.map(({ rate }) => rate));
  const rows = results.map((result, index) => rowOf(result, y + TITLE_HEIGHT + index * ROW_HEIGHT, most));
  return [`<text class="title" x="${LABEL_X}" y="${y + 18}">${escaped(title)}</text>`, ...rows].join('\n');
}

function rowOf(result: Result, y: number, most: number): string {
  const width = Math.max(1, (BAR_WIDTH * result.rate) / most);
  const middle = y + BAR_HEIGHT - 3;
  const rate = Math.round(result.rate).toLocaleString('en');
  return [
    `<text x="${LABEL_X}" y="${middle}">${escaped(result.name)}</text>`,
    `<rect class="${kindOf(result)}" x="${BAR_X}" y="${y}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>`,
    `<text class="small" x="${(BAR_X + width + 8).toFixed(1)}" y="${middle}">${rate}</text>`,
  ].join('\n');
}

/** A limit is a program that does nothing but the one thing that cannot be done without. */
function kindOf({ name, cpu }: Result): 'ours' | 'peer' | 'limit' {
  return name.startsWith(OURS) ? 'ours' : 'limit' in cpu ? 'limit' : 'peer';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
