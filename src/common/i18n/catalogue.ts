import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Works from `src/common/i18n` and from `dist/common/i18n`, which have the same depth. */
const FOLDER = fileURLToPath(new URL('../../../locales/', import.meta.url));

/** Messages of one language by key: file name, dot, name in the file. */
export type MessageSources = ReadonlyMap<string, string>;

/** Every folder in `locales/` is a language, named by its tag. */
export function readLocales(): ReadonlyMap<string, MessageSources> {
  const tags = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return new Map(tags.map(({ name }) => [name, readLocale(`${FOLDER}${name}/`)]));
}

function readLocale(folder: string): MessageSources {
  const files = readdirSync(folder).filter((name) => extname(name) === '.json');
  return new Map(files.flatMap((name) => readMessages(`${folder}${name}`)));
}

function readMessages(path: string): [string, string][] {
  const texts = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
  return Object.entries(texts).map(([name, text]) => [`${basename(path, '.json')}.${name}`, text]);
}
