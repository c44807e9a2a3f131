/** A language tag (BCP 47) for which there are messages. */
export type Locale = string;

export const DEFAULT_LOCALE: Locale = 'en';
/** English with accents and brackets, to find hard-coded texts. See `pseudo-locale.rules.ts`. */
export const PSEUDO_LOCALE: Locale = 'en-XA';

/** Longer lists of languages are cut off: no browser and no app needs more. */
const MAX_LENGTH = 512;

/** Sources for the language of a page or mail, in order of precedence. Null: not specified. */
export interface LocaleWishes {
  /**
   * `ui_locales` of the authorization request: tags separated by blanks, in order of preference (OpenID Connect Core
   * 3.1.2.1).
   */
  readonly uiLocales: string | null;
  /** Setting of the signed-in user. */
  readonly user: string | null;
  /** The Accept-Language header (RFC 9110 section 12.5.4). */
  readonly acceptLanguage: string | null;
  /** Default of the app's tenant. */
  readonly tenant: string | null;
}

/** The first source with an available language decides; otherwise {@link DEFAULT_LOCALE}. */
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

/** The language ranges of `Accept-Language`, in order of preference, without those of weight 0 (not acceptable). */
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
 * Lookup (RFC 4647 section 3.4): each range loses its last subtag until it equals a tag. `*` matches nothing here, so
 * that the next source decides.
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

/** A single letter or digit at the end is removed too, because it only introduces the subtag after it. */
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

/** The weight in `q=0.8`; 1 if absent, 0 if invalid. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
  if (weight === undefined) return 1;
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
}
