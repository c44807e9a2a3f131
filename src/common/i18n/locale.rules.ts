/** A language tag (BCP 47) that has messages. */
export type Locale = string;

export const DEFAULT_LOCALE: Locale = 'en';
/** English with accents and brackets: what it does not change is hard-coded. See `pseudo-locale.rules.ts`. */
export const PSEUDO_LOCALE: Locale = 'en-XA';

/** Longer lists of languages are cut: no browser and no app needs more. */
const MAX_LENGTH = 512;

/** Sources for the language of a page or mail, the first one first. Null: says nothing. */
export interface LocaleWishes {
  /** `ui_locales` of the authorization request: tags with blanks between, best first (OpenID Connect Core 3.1.2.1). */
  readonly uiLocales: string | null;
  /** The setting of the signed-in user. */
  readonly user: string | null;
  /** The header (RFC 9110 section 12.5.4). */
  readonly acceptLanguage: string | null;
  /** The default of the tenant whose app it is. */
  readonly tenant: string | null;
}

/** The first wish that can be met decides; {@link DEFAULT_LOCALE} where none can. */
export function chooseLocale(wishes: LocaleWishes, available: readonly Locale[]): Locale {
  const lists = [
    tagsOf(wishes.uiLocales),
    tagsOf(wishes.user),
    acceptedLanguages(wishes.acceptLanguage),
    tagsOf(wishes.tenant),
  ];
  for (const ranges of lists) {
    const found = lookup(ranges, available);
    if (found !== null) return found;
  }
  return DEFAULT_LOCALE;
}

/** The language ranges of `Accept-Language`, best first; those with a weight of 0 are not acceptable. */
export function acceptedLanguages(header: string | null): string[] {
  return (header ?? '')
    .slice(0, MAX_LENGTH)
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
      return { range, weight: weightOf(parameters) };
    })
    .filter(({ range, weight }) => range !== '' && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ range }) => range);
}

/**
 * Lookup (RFC 4647 section 3.4): each range loses its last subtag until a tag equals it. `*` matches nothing here, so
 * that the next wish decides.
 */
export function lookup(ranges: readonly string[], available: readonly Locale[]): Locale | null {
  for (const range of ranges) {
    for (let rest = range.toLowerCase(); rest !== ''; rest = shortened(rest)) {
      const found = available.find((tag) => tag.toLowerCase() === rest);
      if (found !== undefined) return found;
    }
  }
  return null;
}

/** A single letter or digit at the end is removed too: it only introduces what followed it. */
function shortened(range: string): string {
  const subtags = range.split('-').slice(0, -1);
  if (subtags.at(-1)?.length === 1) subtags.pop();
  return subtags.join('-');
}

function tagsOf(list: string | null): string[] {
  return (list ?? '')
    .slice(0, MAX_LENGTH)
    .split(/\s+/)
    .filter((tag) => tag !== '');
}

/** `q=0.8`; 1 where there is none, 0 where it is not a weight. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
  if (weight === undefined) return 1;
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
}
