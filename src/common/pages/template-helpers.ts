import Handlebars, { type HelperDelegate, type HelperOptions } from 'handlebars';
import type { HtmlTags } from '../i18n/compiled-message.js';
import type { HtmlValues, Messages } from '../i18n/messages.js';
import type { Assets } from './assets/assets.js';
import { firstLetter } from './brand/avatar.js';
import { componentHelpers } from './component-helpers.js';
import { grouped, quantity } from './quantity.js';

/** Page data that every template can use. */
interface PageData {
  readonly root: { readonly locale: string };
}

/** Tags that messages on pages can contain. */
const TAGS: HtmlTags = {
  code: (inner) => `<code>${inner}</code>`,
  strong: (inner) => `<strong>${inner}</strong>`,
  who: (inner) => `<span class="who">${inner}</span>`,
  address: (inner) => `<strong class="who">${inner}</strong>`,
};

/** A rendered time, as in the model of a page. */
interface ShownTime {
  readonly words: string;
  readonly iso: string;
  readonly utc: string;
}

interface FieldError {
  readonly field: string | null;
  readonly message: string;
  readonly label?: string;
}

/**
 * Helpers for templates. Handlebars' strict mode does not check the arguments of helpers, so `{{#if mispelled}}` would
 * silently be false. `if`, `unless`, `each` and `with` are therefore wrapped and throw for a name that is not in the
 * model.
 */
export function templateHelpers(assets: Assets, messages: Messages): Record<string, HelperDelegate> {
  return {
    ...componentHelpers(assets),
    t: (key: string, { hash, data }: HelperOptions & { hash: HtmlValues }) =>
      messages.html((data as PageData).root.locale, key, hash, tagsFor(hash)),
    if: demanding('if'),
    unless: demanding('unless'),
    each: demanding('each'),
    with: demanding('with'),
    textFile: (text: string) => `data:text/plain;charset=utf-8,${encodeURIComponent(given('textFile', text))}`,
    time: (at: ShownTime) => timeElement(given('time', at)),
    asset: (name: string) => assets.url(name),
    errorOf: (errors: readonly FieldError[], field: string) =>
      errors.find((error) => error.field === field)?.message ?? null,
    labelOf: ({ label }: FieldError) => (label ? `${label}: ` : ''),
    needsSummary: (errors: readonly FieldError[]) => given('needsSummary', errors).some(({ field }) => field === null),
    isFirstError: (errors: readonly FieldError[], id: string) =>
      errors[0]?.field === id && errors.every(({ field }) => field !== null),
    monogram: (name: string) => firstLetter(given('monogram', name)) || '·',
    either: (one: unknown, other: unknown) => Boolean(given('either', one)) || Boolean(given('either', other)),
    both: (one: unknown, other: unknown) => Boolean(given('both', one)) && Boolean(given('both', other)),
    number: (value: number) => grouped(given('number', value)),
    count: (list: readonly unknown[], one: string, many: string) => quantity(given('count', list).length, one, many),
    counted: (value: number, one: string, many: string) => quantity(given('counted', value), one, many),
    atLeast: (value: number, least: number) => given('atLeast', value) >= least,
  };
}

/** For a time inside a message; the partial `when` does the same outside of one. */
function timeElement({ words, iso, utc }: ShownTime): Handlebars.SafeString {
  const [text, datetime, title] = [words, iso, utc].map((each) => Handlebars.escapeExpression(each));
  return new Handlebars.SafeString(`<time datetime="${datetime}" title="${title}">${text}</time>`);
}

/** `<link>` links to the value `href`. */
function tagsFor({ href }: HtmlValues): HtmlTags {
  if (typeof href !== 'string') return TAGS;
  return { ...TAGS, link: (inner) => `<a href="${Handlebars.escapeExpression(href)}">${inner}</a>` };
}

function demanding(name: 'if' | 'unless' | 'each' | 'with'): HelperDelegate {
  const builtIn = Handlebars.helpers[name] as HelperDelegate;
  return function (this: unknown, ...args: unknown[]): unknown {
    given(name, args[0]);
    return Reflect.apply(builtIn, this, args);
  };
}

function given<T>(helper: string, value: T | undefined): T {
  if (value === undefined) throw new Error(`The template gives "${helper}" a variable that the model does not have`);
  return value;
}
