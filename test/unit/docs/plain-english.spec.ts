import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { readTree } from './references.js';

/** Words that a reader stumbles over, each with what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  whoever: 'name the person: a user, an operator, an attacker',
  somebody: 'a user, you',
  anybody: 'anyone',
  everybody: 'all users, everyone',
  stands: 'is',
  'by then': 'until',
  'is told': 'gets a mail, an error, a notice',
  'are told': 'get a mail, an error, a notice',
  heeded: 'honoured, applied',
  anew: 'again',
};

const DOCUMENTS = /^(?:[A-Z]+\.md|docs\/.*\.md|\.env\.example)$/;

describe('Documents', () => {
  it('use plain words', () => {
    const documents = [...readTree(join(import.meta.dirname, '../../..'))].filter(([path]) => DOCUMENTS.test(path));
    expect(documents.length).toBeGreaterThan(60);
    const found = documents.flatMap(([path, text]) =>
      Object.entries(INSTEAD)
        .filter(([word]) => new RegExp(`\\b${word.replace(' ', '\\s+')}\\b`, 'i').test(text))
        .map(([word, instead]) => `${path}: "${word}" (write: ${instead})`),
    );
    expect(found).toEqual([]);
  });
});
