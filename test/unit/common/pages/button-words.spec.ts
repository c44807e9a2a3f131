import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const folder = new URL('../../../../views/', import.meta.url);
const views = ['console/', 'partials/console/', 'dev/'].flatMap((area) =>
  readdirSync(new URL(area, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.hbs') && name !== 'design.hbs') // a page of samples
    .map((name) => [`${area}${name}`, readFileSync(new URL(`${area}${name}`, folder), 'utf8')] as const),
);

const BUTTON = /<button\b[^>]*>(.*?)<\/button>|<a class="[^"]*\bbutton\b[^"]*"[^>]*>(.*?)<\/a>/gs;
/** What needs no object: the list, the form or the text beside it is the object. */
const ALONE = new Set(['Filter', 'Cancel', 'Continue', 'Next', 'Previous', 'Copy', 'Console']);

/** Text that a browser shows or reads out: an object that is read out only counts. */
function wordsOf(html: string): string {
  return html
    .replace(/\{\{icon [^}]*\}\}|\{\{#if [^}]*\}\}[^{]*\{\{\/if\}\}|<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

describe('Words of the console', () => {
  it('name what a button does, and to what', () => {
    const texts = views.flatMap(([name, text]) =>
      [...text.matchAll(BUTTON)].map(([, button, link]) => [name, wordsOf(button ?? link ?? '')] as const),
    );
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter(([, text]) => /^[A-Z][a-z]+…?$/.test(text) && !ALONE.has(text))).toEqual([]);
  });

  it('spell ID in capitals', () => {
    const shown = (text: string): string =>
      text
        .replace(/\{\{!.*?\}\}/gs, ' ')
        .replace(/<code>.*?<\/code>/gs, ' ')
        .replace(/\b(?:label|hint|heading|title|aria-label|placeholder)="([^"]*)"/g, '>$1<')
        .replace(/<[^>]*>|\{\{[^}]*\}\}/g, (tag) => tag.match(/>([^<>]*)</g)?.join(' ') ?? ' ');
    const found = views.flatMap(([name, text]) =>
      shown(text)
        .match(/.{0,20}\b[Ii]ds?\b.{0,20}/g)
        ?.map((at) => [name, at]),
    );
    expect(found.filter((each) => each !== undefined)).toEqual([]);
  });
});
