import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readLocales } from '../../../../src/common/i18n/catalogue.js';

const locales = readLocales();
const english = locales.get('en')!;

function filesBelow(folder: string, extension: string): { path: string; text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension))
    .map((name) => ({ path: name, text: readFileSync(join(folder, name), 'utf8') }));
}

const views = filesBelow(resolve('views'), '.hbs');
const sources = filesBelow(resolve('src'), '.ts').filter(({ path }) => path !== join('common', 'i18n', 'message.ts'));

function keysIn(files: readonly { text: string }[], pattern: RegExp): string[] {
  return files.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, key]) => key!));
}

/** A tag and a value of one name would take each other's place. */
function namesIn(elements: readonly MessageFormatElement[]): { tags: string[]; values: string[] } {
  const inside = elements.map((element) => {
    if (element.type === TYPE.tag) return namesIn(element.children);
    if (element.type === TYPE.plural || element.type === TYPE.select)
      return namesIn(Object.values(element.options).flatMap((option) => option.value));
    return { tags: [], values: [] };
  });
  const named = (isTag: boolean) =>
    elements.flatMap((element) =>
      'value' in element && element.type !== TYPE.literal && (element.type === TYPE.tag) === isTag
        ? [String(element.value)]
        : [],
    );
  return {
    tags: [...named(true), ...inside.flatMap(({ tags }) => tags)],
    values: [...named(false), ...inside.flatMap(({ values }) => values)],
  };
}

/** Views for users: nothing that a user reads is written in them. */
const TRANSLATED =
  /^(?:sign-in|account|errors|mail|setup)\/|^layouts\/(?:hosted|account)|^partials\/(?!console\/|call|copy|jwt|chart|id\.|state|console)/;
/** Attributes that are read out or shown, and parameters of partials that become such text. */
const SPOKEN =
  /\b(?:title|aria-label|alt|placeholder|label|hint|button|what|data-[a-z-]+)="([^"{]*[A-Za-z]{3,} [^"{]*|[A-Z][a-z]+[^"{]*)"/;

describe('Message catalogue', () => {
  it('defines every key that views and sources use, and no other', () => {
    const used = [...keysIn(views, /[({]~?t "([^"]+)"/g), ...keysIn(sources, /\bmessage\(\s*'([^']+)'/g)];
    expect(used.length).toBeGreaterThan(150);
    expect([...new Set(used)].sort()).toEqual([...english.keys()].sort());
  });

  it('is used with keys that are written out in the source', () => {
    const callers = sources.filter(({ text }) => text.includes('/i18n/message.js'));
    expect(callers.length).toBeGreaterThan(20);
    const calls = callers.filter(({ text }) =>
      /(?<![.\w])message\((?!\s*')/.test(text.replace(/\/\*[\s\S]*?\*\//g, '')),
    );
    expect(calls.map(({ path }) => path)).toEqual([]);
    expect(views.filter(({ text }) => /[({]~?t (?!")/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('has in every language only keys that English has too', () => {
    for (const [locale, texts] of locales)
      expect([locale, [...texts.keys()].filter((key) => !english.has(key))]).toEqual([locale, []]);
  });

  it.each([...locales].flatMap(([locale, texts]) => [...texts].map(([key, text]) => [locale, key, text] as const)))(
    'contains well-formed ICU messages: %s %s',
    (_locale, _key, text) => {
      expect(parse(text).length).toBeGreaterThan(0);
      const { tags, values } = namesIn(parse(text));
      expect(values.filter((name) => tags.includes(name))).toEqual([]);
      // ICU quotes with it, and readers see it as an old typewriter's.
      expect(text).not.toContain("'");
    },
  );
});

describe('Views for users', () => {
  const translated = views.filter(({ path }) => TRANSLATED.test(path));

  it('are all known', () => {
    expect(translated.length).toBeGreaterThan(40);
  });

  it.each(translated.map(({ path, text }) => [path, text] as const))(
    'contain no text of their own: %s',
    (_path, text) => {
      const forUsers = text
        .replace(/\{\{!--[\s\S]*?--\}\}|\{\{![\s\S]*?\}\}/g, '')
        .replace(/<section[^>]* lang="en">[\s\S]*?<\/section>/g, '')
        .replace(/<(style|script|svg)[\s\S]*?<\/\1>/g, '');
      expect(SPOKEN.exec(forUsers)?.[0]).toBeUndefined();
      const words = forUsers.replace(/\{\{[\s\S]*?\}\}/g, '').replace(/<[^>]*>/g, '');
      expect(/[A-Za-z]{2,}/.exec(words)?.[0]).toBeUndefined();
    },
  );
});
