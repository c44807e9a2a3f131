// Exits 0 when node_modules holds what package-lock.json names for this machine, 1 when `npm ci` is needed.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (path) => JSON.parse(readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8')).packages;
const noted = 'node_modules/.package-lock.json';

function isComplete() {
  if (!existsSync(fileURLToPath(new URL(`../${noted}`, import.meta.url)))) return false;
  const wanted = read('package-lock.json');
  const installed = read(noted);
  return Object.entries(wanted).every(
    ([at, { version, optional, link }]) =>
      at === '' || link || (optional && !installed[at]) || installed[at]?.version === version,
  );
}

process.exit(isComplete() ? 0 : 1);
