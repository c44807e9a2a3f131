import Handlebars, { type HelperDelegate } from 'handlebars';
import type { Assets } from './assets/assets.js';
import { avatarTone, initials } from './brand/avatar.js';
import { highlighted } from './highlight.js';

/** Characters of an id that are seen at its beginning and its end; shorter ones are seen whole. */
const SEEN = { first: 8, last: 4, whole: 20 } as const;

/** Small parts of the pages that are more than text. Every value is escaped. */
export function componentHelpers(assets: Assets): Record<string, HelperDelegate> {
  return {
    icon: (name: string) => icon(assets, name),
    avatar: (name: string) =>
      html(`<span class="avatar avatar-${avatarTone(name)}" aria-hidden="true">${escaped(initials(name))}</span>`),
    highlighted: (code: string, language: string) => html(highlighted(code, language)),
    shortId: (id: string) => html(`<code title="${escaped(id)}">${shortened(id)}</code>`),
  };
}

/** @throws Error where the sprite has no icon of that name */
function icon(assets: Assets, name: string): Handlebars.SafeString {
  const url = assets.iconUrl(name);
  return html(`<svg class="icon" aria-hidden="true" focusable="false"><use href="${url}"></use></svg>`);
}

/** The middle stays in the text, so that the whole id is selected, copied and found; style hides it. */
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
