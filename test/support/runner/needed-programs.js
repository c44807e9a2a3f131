import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Whatever imports one of these, directly or not, cannot run without the program. */
const USED_BY = {
  Redis: ['test/support/redis.ts', 'test/support/own-redis.ts'],
  'Chromium headless shell': ['test/support/chromium.ts'],
  Chromium: ['test/support/whole-chromium.ts'],
  'Apache with mod_auth_openidc': ['test/support/apache.ts'],
  curl: ['test/e2e/examples/readme.spec.ts'],
};

/** @returns which of the programs a test file needs */
export function neededPrograms(testFile) {
  const imported = importedBy(testFile, new Set());
  return Object.keys(USED_BY).filter((program) => USED_BY[program].some((file) => imported.has(resolve(file))));
}

function importedBy(file, seen) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  for (const [, path] of source.matchAll(/\bfrom '(\.{1,2}\/[^']+)'|\bimport '(\.{1,2}\/[^']+)'/g)) {
    const target = path && resolve(dirname(file), path).replace(/\.js$/, '.ts');
    if (target?.includes('/test/') && existsSync(target)) importedBy(target, seen);
  }
  return seen;
}
