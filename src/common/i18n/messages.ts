import { parse } from '@formatjs/icu-messageformat-parser';
import { Injectable } from '@nestjs/common';
import Handlebars from 'handlebars';
import { readLocales } from './catalogue.js';
import { CompiledMessage, type FormattedValues, type HtmlTags } from './compiled-message.js';
import { DEFAULT_LOCALE, type Locale, PSEUDO_LOCALE } from './locale.rules.js';
import { Message, type MessageValues, type Text } from './message.js';
import { pseudoMessage } from './pseudo-locale.rules.js';

/** Values of a message in HTML: a SafeString is HTML already, everything else is escaped. */
export type HtmlValues = Readonly<Record<string, MessageValues[string] | Handlebars.SafeString>>;

/** The catalogue of messages: reads `locales/` at the start and compiles each message on first use. */
@Injectable()
export class Messages {
  /** Tags of the languages that have messages. Does not include the pseudo-locale, which is generated. */
  readonly locales: readonly Locale[];
  /** Languages that a page can be requested in. */
  readonly selectable: readonly Locale[];
  private readonly sources = readLocales();
  private readonly compiled = new Map<Locale, Map<string, CompiledMessage>>();

  constructor() {
    this.locales = [...this.sources.keys()].sort();
    this.selectable = [...this.locales, PSEUDO_LOCALE];
  }

  /** Plain text, for titles, subjects and text mails, without tags. A string is returned unchanged. */
  text(locale: Locale, text: Text): string {
    if (typeof text === 'string') return text;
    return this.find(locale, text.key).text(this.valuesIn(locale, text.values));
  }

  /** HTML, escaped except for the tags that the caller defines. */
  html(locale: Locale, key: string, values: HtmlValues, tags: HtmlTags): Handlebars.SafeString {
    return this.find(locale, key).html(this.valuesIn(locale, values), tags);
  }

  private valuesIn(locale: Locale, values: HtmlValues): FormattedValues {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.valueIn(locale, value)]));
  }

  private valueIn(locale: Locale, value: HtmlValues[string]): FormattedValues[string] {
    if (value instanceof Message) return this.text(locale, value);
    if (!isList(value)) return value;
    const choices = value.map((each) => this.text(locale, each));
    return new Intl.ListFormat(locale, { type: 'disjunction' }).format(choices);
  }

  private find(locale: Locale, key: string): CompiledMessage {
    let known = this.compiled.get(locale);
    if (!known) this.compiled.set(locale, (known = new Map()));
    let compiled = known.get(key);
    if (!compiled) known.set(key, (compiled = this.compile(locale, key)));
    return compiled;
  }

  /** A message that is missing in a language is shown in English. */
  private compile(locale: Locale, key: string): CompiledMessage {
    const source = this.sources.get(locale)?.get(key) ?? this.sources.get(DEFAULT_LOCALE)?.get(key);
    if (source === undefined) throw new Error(`There is no message ${key}`);
    const elements = parse(source);
    return new CompiledMessage(locale === PSEUDO_LOCALE ? pseudoMessage(elements) : elements, locale);
  }
}

function isList(value: unknown): value is readonly Text[] {
  return Array.isArray(value);
}
