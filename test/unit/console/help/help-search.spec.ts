import { describe, expect, it } from '@jest/globals';
import { HelpLibrary } from '../../../../src/console/help/help-library.js';
import { highlight, searchHelp, wordsOf } from '../../../../src/console/help/help-search.rules.js';

const library = new HelpLibrary();
const found = (query: string): string[] => library.search(query).map(({ article }) => article.slug);

describe('Help search', () => {
  it('finds articles by title first, then by text', () => {
    expect(found('python')[0]).toBe('verify-python');
    expect(found('google')[0]).toBe('google');
    expect(found('second factor')[0]).toBe('second-factor');
    expect(found('idempotency-key')).toEqual(['sending']);
    expect(found('WEBHOOKS')[0]).toBe('webhooks');
  });

  it('requires every word, anywhere in the article', () => {
    expect(found('invite mailed')).toContain('invites-and-approval');
    expect(found('google whsec')).toEqual([]);
  });

  it('finds nothing for an empty query or for missing words', () => {
    for (const query of ['', '   ', '***', 'xylophone', '\0', 'a'.repeat(5000)])
      expect([query, found(query)]).toEqual([query, []]);
  });

  it('treats a query literally, with any characters', () => {
    for (const query of ['.*', '(a+)+$', '[', '\\', 'c#', 'at+jwt', '$&'])
      expect(() => library.search(query)).not.toThrow();
    expect(found('c#')[0]).toBe('verify-csharp');
    expect(found('at+jwt').length).toBeGreaterThan(4);
  });

  it('marks the words and keeps all of the text', () => {
    const pieces = highlight('A <b>token</b> is a Token', wordsOf('token <b>'));
    expect(pieces.map(({ text }) => text).join('')).toBe('A <b>token</b> is a Token');
    expect(pieces.filter(({ hit }) => hit).map(({ text }) => text)).toEqual(['b', 'token', 'b', 'Token']);
  });

  it('shows the place of the match', () => {
    const [match] = searchHelp([library.find('push', 'sending')!], 'partial');
    const text = match!.excerpt.map((piece) => piece.text).join('');
    expect(text).toMatch(/partial/);
    expect(text.length).toBeLessThan(200);
  });
});
