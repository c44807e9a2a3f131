import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Assets } from '../../../../src/common/pages/assets/assets.js';

const root = new URL('../../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const under = (folder: string): string[] =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(hbs|ts)$/.test(name))
    .map((name) => read(`${folder}${name}`));

/** As `scripts/icons.mjs` draws them; a script is no module of the tests. */
const { ICONS, sprite } = (await import(new URL('scripts/icons.mjs', root).href)) as {
  ICONS: readonly string[];
  sprite: () => string;
};

describe('Icons', () => {
  it('are those of the package, as the script writes them', () => {
    expect(read('assets/icons.svg')).toBe(sprite());
  });

  it('are in the sprite only if a page uses them', () => {
    const source = [...under('views/'), ...under('src/')].join('\n');
    expect(ICONS.filter((name) => !new RegExp(`\\{\\{icon "${name}"|'${name}'`).test(source))).toEqual([]);
  });

  it('have an address in the sprite, and an unknown one is refused', () => {
    expect(new Assets().iconUrl('house')).toMatch(/^\/assets\/icons\.[0-9a-f]{12}\.svg#house$/);
    expect(() => new Assets().iconUrl('no-such-icon')).toThrow('There is no icon no-such-icon');
  });
});
