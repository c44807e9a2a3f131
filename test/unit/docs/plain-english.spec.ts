import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTree } from './references.js';

/** Words that a reader stumbles over, each with what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  nobody: 'no user, no app, or say who',
  whoever: 'say who: a user, an operator, an attacker',
  somebody: 'a user, you',
  anybody: 'anyone',
  everybody: 'all users, everyone',
  'by then': 'until',
  'is told': 'gets a mail, an error, a notice',
  'are told': 'get a mail, an error, a notice',
  heeded: 'honored, applied',
  anew: 'again',
};

const ONLY_IN_DOCUMENTS: Readonly<Record<string, string>> = { stands: 'is' };

/** Invented names for things that have a usual one. */
const INSTEAD_OF_NAMES: Readonly<Record<string, string>> = {
  departure: 'start of a sign-in at a provider',
  departures: 'starts of sign-ins at providers',
  arrival: 'callback',
  arrivals: 'callbacks',
  trip: 'sign-in at a provider',
  trips: 'sign-ins at providers',
  stranded: 'failed',
  newcomer: 'new user',
  newcomers: 'new users',
  desk: 'requests',
  lane: 'queue',
  lanes: 'queues',
  waker: 'notifier',
  fate: 'outcome',
  fates: 'outcomes',
};

/** "Who waits takes turns": write "A caller that waits" or another subject. Questions ("Who may …?", "Who did what") are fine. */
const WHO_AS_SUBJECT = /(?:^|[.:] |- )Who (?!(?:did|may|can|is affected|runs)\b)[a-z]+/gm;

/** The same in a comment, also as a riddle: "Who may export" for the right to export. */
const WHO_IN_COMMENT = /(?:\* |\/\/ |[.:] )Who [a-z]+/g;

/** Comments name a user or an operator; "another person" does not own the account, such as an attacker. */
const PEOPLE_IN_COMMENT = /\b(?:people|persons|everyone|anyone)\b|(?<!\banother )\bperson\b/gi;

const DOCUMENTS = /^(?:[A-Z]+\.md|docs\/.*\.md|\.env\.example)$/;
const CODE_AND_PAGES = /^(?:src\/.*\.(?:ts|js)|views\/.*\.hbs)$/;

/** The spelling is American, as in the RFCs. `toColourspace` is a name of sharp. */
const BRITISH =
  /[a-z]*(?:behaviour|colour(?!space)|recognis|honour|neighbour|labelled(?!by)|travell|licence|normalis|serialis|initialis|optimis|summaris|authoris|organis)[a-z]*/gi;

/** Argon2 calls its degree of parallelism "lanes" (RFC 9106). */
const EXCEPTIONS = ['src/crypto/password-formats/'];

/** Here they are listed. */
const BRITISH_IN = 'test/unit/docs/plain-english.spec.ts';

const root = join(import.meta.dirname, '../../..');
const paths = [...readTree(root).keys()];

function read(path: string): readonly [string, string] {
  return [path, readFileSync(join(root, path), 'utf8')];
}

function wordsFoundIn(
  files: readonly (readonly [string, string])[],
  words: Readonly<Record<string, string>>,
): string[] {
  return files.flatMap(([path, text]) =>
    Object.entries(words)
      .filter(([word]) => new RegExp(`\\b${word.replace(' ', '\\s+')}\\b`, 'i').test(text))
      .map(([word, instead]) => `${path}: "${word}" (write: ${instead})`),
  );
}

function isIn(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => path.startsWith(folder));
}

/** Lines of comments, without the names in backticks. */
function commentsOf(text: string): string[] {
  return (text.match(/^\s*(?:\/\*\*|\*|\/\/) .*/gm) ?? []).map((line) => line.trim().replace(/`[^`]*`/g, '``'));
}

/** `AccountFate` and `account_fate` become words. */
function split(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}

describe('Documents', () => {
  it('use plain words', () => {
    const documents = paths.filter((path) => DOCUMENTS.test(path)).map(read);
    expect(documents.length).toBeGreaterThan(60);
    expect(wordsFoundIn(documents, { ...INSTEAD, ...ONLY_IN_DOCUMENTS })).toEqual([]);
  });

  it('and code have American spelling', () => {
    const files = paths.filter((path) => /\.(?:md|ts|js|mjs|hbs|css|csv)$/.test(path) && path !== BRITISH_IN);
    const found = files
      .map(read)
      .flatMap(([path, text]) => (text.match(BRITISH) ?? []).map((word) => `${path}: ${word}`));
    expect(files.length).toBeGreaterThan(2_500);
    expect(found).toEqual([]);
    expect('Unrecognised behaviour').toMatch(BRITISH);
  });

  it('name the subject of a sentence in place of “who”', () => {
    const documents = paths.filter((path) => DOCUMENTS.test(path)).map(read);
    const found = documents.flatMap(([path, text]) =>
      [...text.matchAll(WHO_AS_SUBJECT)].map(([sentence]) => `${path}: ${sentence.trim()} …`),
    );
    expect(found).toEqual([]);
    expect('- Who waits takes turns').toMatch(WHO_AS_SUBJECT);
  });
});

describe('Comments of the source', () => {
  it('name their subject in place of “who”', () => {
    const files = paths.filter((path) => /^src\/.*\.ts$/.test(path) && !isIn(EXCEPTIONS, path)).map(read);
    const found = files.flatMap(([path, text]) =>
      [...text.matchAll(WHO_IN_COMMENT)].map(([sentence]) => `${path}: ${sentence} …`),
    );
    expect(found).toEqual([]);
    expect('/** Who may export users. */').toMatch(WHO_IN_COMMENT);
  });

  it('say user, operator or attacker in place of “person” and “people”', () => {
    const files = paths.filter((path) => /^src\/.*\.ts$/.test(path) && !isIn(EXCEPTIONS, path)).map(read);
    const found = files.flatMap(([path, text]) =>
      commentsOf(text).flatMap((comment) =>
        [...comment.matchAll(PEOPLE_IN_COMMENT)].map(([word]) => `${path}: "${word}" in ${comment}`),
      ),
    );
    expect(found).toEqual([]);
    expect(commentsOf('/** The apps of a person. */').join('')).toMatch(PEOPLE_IN_COMMENT);
  });
});

describe('Names, comments and texts of the source and the pages', () => {
  it('use plain words and standard terms', () => {
    const files = paths
      .filter((path) => CODE_AND_PAGES.test(path))
      .filter((path) => !isIn(EXCEPTIONS, path))
      .map((path) => [path, split(read(path)[1])] as const);
    expect(files.length).toBeGreaterThan(1_000);
    expect(wordsFoundIn(files, { ...INSTEAD, ...INSTEAD_OF_NAMES })).toEqual([]);
  });
});
