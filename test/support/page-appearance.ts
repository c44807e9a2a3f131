import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { eventually } from './wait.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [360, 1280];
const SCHEMES = ['light', 'dark'] as const;
/** The rules of axe that look at colors. All others judge the same document in both schemes. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];
/** axe takes five seconds for a page with 10,000 elements, in each width and scheme. */
const MANY_ELEMENTS = 3_000;
/** On such a page, what is made like those before it: rows of a table, operations and schemas of the API reference. */
const REPEATED = 'tbody tr:nth-of-type(n + 31), .reference article:nth-of-type(n + 6)';

/**
 * On a phone and on a desktop, light and dark: nothing to scroll sideways, and axe finds no fault. The page must have
 * been opened with reduced motion, or colors are read in the middle of a transition.
 */
export async function expectGoodAppearance(page: Page, name: string): Promise<void> {
  const faults: string[] = [];
  // A click waits only until the next page begins to come.
  await page.waitForLoadState('load');
  await page.evaluate('document.fonts.ready.then(() => null)');
  if (await page.evaluate<boolean>(`document.querySelectorAll('*').length > ${MANY_ELEMENTS}`)) {
    for (const width of WIDTHS) faults.push(...(await sidewaysFaults(page, name, width)));
    await page.evaluate(`document.querySelectorAll('${REPEATED}').forEach((each) => each.remove())`);
  }
  await page.evaluate(AXE); // a script element would be refused by the page's policy
  for (const width of WIDTHS) {
    faults.push(...(await sidewaysFaults(page, name, width)));
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      for (const fault of await axeFaults(page, colorScheme === 'dark' ? COLOR_RULES : null))
        faults.push(`${name}, ${width}px, ${colorScheme}: ${fault}`);
    }
  }
  expect(faults).toEqual([]);
}

/** The scheme makes no difference to it. */
async function sidewaysFaults(page: Page, name: string, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 800 });
  const sideways = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return sideways > 0 ? [`${name}, ${width}px: ${sideways}px to scroll sideways`] : [];
}

/** The most that may move while a page is loaded, as a layout shift score (0.1 is what web.dev calls good). */
const MAX_SHIFT = 0.01;

const SCRIPTS = /\/assets\/[^/]+\.js$/;
const IS_PAINTED = `performance.getEntriesByName('first-contentful-paint').length > 0`;

/**
 * Opens a page: nothing in it moves, and it comes with one style sheet and one script. The script is held back until the
 * page is painted, as on a slow line: before that nothing would be seen to move.
 */
export async function openSteady(page: Page, url: string, name = url): Promise<void> {
  await expectSteadyLoad(page, name, () => page.goto(url));
}

/** The same for the page that is open: it is loaded again. */
export async function expectSteady(page: Page, name: string): Promise<void> {
  await expectSteadyLoad(page, name, () => page.reload());
}

async function expectSteadyLoad(page: Page, name: string, load: () => Promise<unknown>): Promise<void> {
  await page.route(SCRIPTS, async (route) => {
    await eventually('the page is painted', () => page.evaluate<boolean>(IS_PAINTED));
    await route.continue();
  });
  await load();
  await page.unroute(SCRIPTS);
  const moved = await page.evaluate<{ score: number; what: string[] }[]>(`new Promise((resolve) => {
    const moved = [];
    const note = ({ value, sources }) => moved.push({ score: value, what: sources.map(({ node }) => node?.outerHTML) });
    new PerformanceObserver((list) =>
      list.getEntries().filter(({ hadRecentInput }) => !hadRecentInput).forEach(note),
    ).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(moved))));
  })`);
  const score = moved.reduce((sum, each) => sum + each.score, 0);
  const loaded = await page.evaluate<string[]>(
    `[...document.querySelectorAll('link[rel="stylesheet"], script[src]')].map(({ localName }) => localName).sort()`,
  );
  expect({ name, moved: score > MAX_SHIFT ? moved : [], loaded }).toEqual({
    name,
    moved: [],
    loaded: ['link', 'script'],
  });
}

/**
 * Stylesheets and media are not loaded a second time, which only rules about sound and video need.
 * @param rules null: all of axe, best practices included
 */
async function axeFaults(page: Page, rules: readonly string[] | null): Promise<string[]> {
  const runOnly = rules === null ? '' : `, runOnly: ${JSON.stringify({ type: 'rule', values: rules })}`;
  return page.evaluate<string[]>(
    `axe.run(document, { preload: false, resultTypes: ['violations']${runOnly} }).then(({ violations }) => violations.flatMap(
       ({ id, nodes }) => nodes.map((node) => id + ' at ' + node.target.join(' ') + ': ' + node.failureSummary)))`,
  );
}
