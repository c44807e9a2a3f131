import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const folder = new URL('../../../../assets/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const sheets = readdirSync(folder).filter((name) => name.endsWith('.css'));

describe('Style sheets', () => {
  it('take every color from tokens.css', () => {
    expect(sheets).toContain('tokens.css');
    for (const name of sheets.filter((each) => each !== 'tokens.css')) {
      expect([name, read(name).match(/#[0-9a-f]{3,8}\b(?=[;\s,)])|\b(?:rgb|hsl)a?\(/gi)]).toEqual([name, null]);
    }
  });

  it('use no variable that is not defined', () => {
    const all = sheets.map(read).join('\n');
    const own = new Set([...all.matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
    const used = new Set([...all.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name!));
    const FROM_THE_PAGE = /^--(?:brand-|logo-|pico-)/;
    expect([...used].filter((name) => !own.has(name) && !FROM_THE_PAGE.test(name))).toEqual([]);
  });
});
