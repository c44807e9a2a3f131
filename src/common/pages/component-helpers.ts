import Handlebars, { type HelperDelegate } from 'handlebars';
import type { Assets } from './assets/assets.js';
import { avatarTone, initials } from './brand/avatar.js';
import { highlighted } from './highlight.js';

/**
 * Number of characters of an id that are visible at its start and end; ids up to `whole` characters are shown
 * completely.
 */
const SEEN = { first: 8, last: 4, whole: 20 } as const;

/** Template helpers for components. All values are escaped. */
export function componentHelpers(assets: Assets): Record<string, HelperDelegate> {
  return {
    icon: (name: string) => icon(assets, name),
    avatar: (name: string) =>
      html(`<span class="avatar avatar-${avatarTone(name)}" aria-hidden="true">${escaped(initials(name))}</span>`),
    highlighted: (code: string, language: string) => html(highlighted(code, language)),
    /** A whole number is text: a browser discards anything else that is typed into a field of type `number`. */
    inputType: (type: string) => html(type === 'whole' ? 'type="text" inputmode="numeric"' : `type="${escaped(type)}"`),
    learnMore: (article: string | undefined, about: string) => (article ? learnMore(article, about) : ''),
    shortId: (id: string) => html(`<code title="${escaped(id)}">${shortened(id)}</code>`),
  };
}

/** @throws Error if the sprite has no icon with that name */
function icon(assets: Assets, name: string): Handlebars.SafeString {
  const url = assets.iconUrl(name);
  return html(`<svg class="icon" aria-hidden="true" focusable="false"><use href="${url}"></use></svg>`);
}

/** @param article of the console's help, as `<category>/<article>` */
function learnMore(article: string, about: string): Handlebars.SafeString {
  const hidden = `<span class="visually-hidden"> about ${escaped(about)}</span>`;
  return html(` <a href="/console/help/${escaped(article)}">Learn more${hidden}</a>`);
}

/**
 * The middle of the id is hidden by CSS but stays in the text, so that the whole id can be selected, copied and
 * searched for.
 */
function shortened(id: string): string {
  if (id.length <= SEEN.whole) return escaped(id);
  const [first, middle, last] = [id.slice(0, SEEN.first), id.slice(SEEN.first, -SEEN.last), id.slice(-SEEN.last)];
  return `${escaped(first)}<span class="id-middle">${escaped(middle)}</span>${escaped(last)}`;
}

function escaped(text: string): string {
  return Handlebars.escapeExpression(text);
}

function html(markup: string): Handlebars.SafeString {
  return new Handlebars.SafeString(markup);
}
