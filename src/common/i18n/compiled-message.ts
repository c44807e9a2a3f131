import { type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser';
import Handlebars from 'handlebars';
import { IntlMessageFormat } from 'intl-messageformat';
import { DEFAULT_LOCALE, type Locale, PSEUDO_LOCALE } from './locale.rules.js';

/** Wraps the HTML inside a tag of a message in an element. */
export type HtmlTag = (inner: string) => string;
export type HtmlTags = Readonly<Record<string, HtmlTag>>;

type Value = string | number | Date | Handlebars.SafeString;
/** Values in which messages and lists are texts already; numbers and dates are not formatted yet. A SafeString is HTML already. */
export type FormattedValues = Readonly<Record<string, Value>>;

const { SafeString, escapeExpression } = Handlebars;

const DAY = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
/** `{at, date, day}` and `{at, date, moment}`: the day, or the day and time, in UTC like all times. */
const FORMATS = {
  date: { day: DAY, moment: { ...DAY, hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } },
} as const;
/** British format of dates: `1 March 2026`. */
const FORMATTED_AS: Readonly<Record<Locale, string>> = { [DEFAULT_LOCALE]: 'en-GB', [PSEUDO_LOCALE]: 'en-GB' };

/** One compiled message of one language. A message without arguments is formatted once. */
export class CompiledMessage {
  private readonly format: IntlMessageFormat;
  private readonly tagNames: readonly string[];
  private readonly constant: { readonly text: string; readonly html: Handlebars.SafeString } | null;

  constructor(elements: readonly MessageFormatElement[], locale: Locale) {
    this.format = new IntlMessageFormat([...elements], FORMATTED_AS[locale] ?? locale, FORMATS);
    this.tagNames = tagNamesIn(elements);
    this.constant = constantOf(elements);
  }

  text(values: FormattedValues): string {
    if (this.constant) return this.constant.text;
    const tags = Object.fromEntries(this.tagNames.map((name) => [name, (inner: unknown[]) => inner.join('')]));
    return this.parts({ ...checked(values), ...tags }).join('');
  }

  html(values: FormattedValues, tags: HtmlTags): Handlebars.SafeString {
    if (this.constant) return this.constant.html;
    const elements = Object.fromEntries(this.tagNames.map((name) => [name, elementOf(name, tags)]));
    return new SafeString(escaped(this.parts({ ...checked(values), ...elements })));
  }

  private parts(values: Record<string, unknown>): unknown[] {
    return this.format.formatToParts(values as Record<string, Value>).map(({ value }) => value);
  }
}

function elementOf(name: string, tags: HtmlTags): (inner: unknown[]) => Handlebars.SafeString {
  const tag = tags[name];
  if (!tag) throw new Error(`There is no way to show the tag <${name}> of a message`);
  return (inner) => new SafeString(tag(escaped(inner)));
}

/** Handlebars' own escaping, which leaves SafeStrings as they are. */
function escaped(parts: readonly unknown[]): string {
  return parts.map((part) => escapeExpression(part as string)).join('');
}

/** The formatter throws for a missing argument, but shows an undefined one as "undefined". */
function checked(values: FormattedValues): FormattedValues {
  for (const [name, value] of Object.entries(values))
    if ((value ?? null) === null) throw new Error(`The value ${name} of a message is missing`);
  return values;
}

function constantOf(elements: readonly MessageFormatElement[]): CompiledMessage['constant'] {
  const texts = elements.map((element) => (element.type === TYPE.literal ? element.value : null));
  if (texts.includes(null)) return null;
  const text = texts.join('');
  return { text, html: new SafeString(escapeExpression(text)) };
}

function tagNamesIn(elements: readonly MessageFormatElement[]): string[] {
  return elements.flatMap((element) => {
    if (element.type === TYPE.tag) return [element.value, ...tagNamesIn(element.children)];
    if (element.type === TYPE.plural || element.type === TYPE.select)
      return Object.values(element.options).flatMap((option) => tagNamesIn(option.value));
    return [];
  });
}
