// Writes assets/icons.svg, the one sprite of the pages, from the icons of lucide-static that are used. Run it with
// `npm run icons` after adding a name here; test/unit/common/pages/icons.spec.ts compares names, uses and sprite.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Names at https://lucide.dev/icons */
export const ICONS = [
  ...['bell', 'book-open', 'building', 'building-2', 'check', 'chevrons-up-down'],
  ...['circle-check', 'ellipsis', 'code', 'copy', 'gauge', 'house', 'inbox', 'key-round', 'layout-grid'],
  ...['list-checks', 'log-out', 'mail', 'menu', 'monitor', 'moon', 'pause', 'scroll-text', 'search', 'send', 'sun'],
  ...['triangle-alert', 'user-check', 'user-round', 'users', 'x'],
];

/** The sprite: a `<symbol>` for each name, drawn in the color of the text. */
export function sprite() {
  const folder = join(dirname(createRequire(import.meta.url).resolve('lucide-static/package.json')), 'icons');
  const symbols = ICONS.map((name) => {
    const source = readFileSync(join(folder, `${name}.svg`), 'utf8');
    const shapes = /<svg[^>]*>([\s\S]*)<\/svg>/
      .exec(source)[1]
      .trim()
      .replace(/\s*\n\s*/g, '');
    return `<symbol id="${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${shapes}</symbol>`;
  });
  const origin = '<!-- From Lucide (https://lucide.dev), ISC license. Written by scripts/icons.mjs. -->';
  return `<svg xmlns="http://www.w3.org/2000/svg">${origin}\n${symbols.join('\n')}\n</svg>\n`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(fileURLToPath(new URL('../assets/icons.svg', import.meta.url)), sprite());
}
