import { describe, expect, it } from '@jest/globals';
import { acceptedLanguages, chooseLocale, lookup } from '../../../../src/common/i18n/locale.rules.js';

const AVAILABLE = ['de', 'en', 'en-XA', 'pt-BR', 'zh-Hant'];
const nobody = { uiLocales: null, user: null, acceptLanguage: null, tenant: null };

describe('Language of a page', () => {
  it.each([
    ['no wish', {}, 'en'],
    ['ui_locales', { uiLocales: 'de' }, 'de'],
    ['the first of ui_locales that there is', { uiLocales: 'fr de pt-BR' }, 'de'],
    ['ui_locales before everything else', { uiLocales: 'de', user: 'pt-BR', acceptLanguage: 'en', tenant: 'en' }, 'de'],
    ['the setting of the user before the browser', { user: 'pt-BR', acceptLanguage: 'de', tenant: 'en' }, 'pt-BR'],
    ['the browser before the tenant', { acceptLanguage: 'de', tenant: 'pt-BR' }, 'de'],
    ['the default of the tenant', { tenant: 'pt-BR' }, 'pt-BR'],
    ['ui_locales that there is not, then the browser', { uiLocales: 'fr se', acceptLanguage: 'de' }, 'de'],
    ['nothing that there is', { uiLocales: 'fr', user: 'it', acceptLanguage: 'se, *;q=0.1', tenant: 'nl' }, 'en'],
    ['the pseudo-locale', { uiLocales: 'en-XA' }, 'en-XA'],
    ['English of a country', { acceptLanguage: 'en-GB,en;q=0.5' }, 'en'],
    ['an empty list', { uiLocales: ' ', acceptLanguage: '' }, 'en'],
    ['what is no language', { uiLocales: '../../etc <script>', acceptLanguage: ';;q=,,' }, 'en'],
  ])('is chosen by %s', (_by, wishes, locale) => {
    expect(chooseLocale({ ...nobody, ...wishes }, AVAILABLE)).toBe(locale);
  });

  it('is chosen quickly from an endless list', () => {
    expect(
      chooseLocale({ ...nobody, uiLocales: 'x-'.repeat(100_000), acceptLanguage: 'de,'.repeat(100_000) }, []),
    ).toBe('en');
  });
});

describe('Lookup of a language range (RFC 4647, 3.4)', () => {
  it.each([
    ['de', 'de'],
    ['DE-at', 'de'],
    ['de-CH-1996', 'de'],
    ['zh-Hant-CN-x-private1-private2', 'zh-Hant'],
    ['zh-hant-a-extend1', 'zh-Hant'],
    ['PT-br', 'pt-BR'],
    ['pt', null],
    ['pt-PT', null],
    ['d', null],
    ['*', null],
    ['', null],
  ])('finds for %s: %s', (range, tag) => {
    expect(lookup([range], AVAILABLE)).toBe(tag);
  });
});

describe('Accept-Language (RFC 9110, 12.5.4)', () => {
  it.each([
    ['da, en-gb;q=0.8, en;q=0.7', ['da', 'en-gb', 'en']],
    ['en;q=0.2, de;q=0.9, fr', ['fr', 'de', 'en']],
    ['en;q=0.5,de;q=0.5', ['en', 'de']],
    ['de;q=0, en', ['en']],
    ['de;q=0.000', []],
    ['de;q=2, fr;q=-1, it;q=many, en;Q=1.000', ['en']],
    [null, []],
  ])('of %s lists %j', (header, languages) => {
    expect(acceptedLanguages(header)).toEqual(languages);
  });
});
