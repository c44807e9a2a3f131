import type { EventFacts, EventSentence, NamedEntity, SentencePart, Tone } from './event-facts.js';

/**
 * A sentence with placeholders: `{actor} approved {user}[ for {app}]`. The part in brackets is left out if one of its
 * placeholders has no value; outside of brackets, a general noun is used. The placeholders are those of {@link namesIn}
 * and `words`.
 */
export interface Phrase {
  readonly tone: Tone;
  readonly text: string;
  readonly words: Readonly<Record<string, string | null>>;
}

/** The phrase for an action: fixed, or depending on the entry. */
export type Sentence = Phrase | ((facts: EventFacts) => Phrase);

type Maker = (text: string, words?: Readonly<Record<string, string | null>>) => Phrase;

const maker =
  (tone: Tone): Maker =>
  (text, words = {}) => ({ tone, text, words });

export const good = maker('good');
export const bad = maker('bad');
export const plain = maker('plain');

const GENERAL: Readonly<Record<string, string>> = { user: 'a user', app: 'an app', tenant: 'a tenant' };
const OPTIONAL = /\[([^\]]*)\]/g;
const GAP = /\{(\w+)\}/;

/** Names in the entry. `subject` is the user whom it is about, or the actor if there is none. */
function namesIn({ actor, user, app, tenant }: EventFacts): Readonly<Record<string, NamedEntity | null>> {
  return { actor, user, subject: user ?? actor, app, tenant };
}

export function fillIn({ text, tone, words }: Phrase, facts: EventFacts): EventSentence {
  const names = namesIn(facts);
  const isKnown = (gap: string) => Boolean(names[gap] ?? words[gap]);
  const whole = text.replace(OPTIONAL, (_, optional: string) =>
    [...optional.matchAll(/\{(\w+)\}/g)].every(([, gap]) => isKnown(gap!)) ? optional : '',
  );
  const acting = facts.actingAs ? `, while impersonating ${facts.actingAs}` : '';
  const parts = `${whole}${acting}.`
    .split(GAP)
    .map((piece, index): SentencePart => {
      if (index % 2 === 0) return { text: piece, isName: false, href: null };
      const name = names[piece];
      if (name) return { ...name, isName: true };
      return { text: words[piece] ?? GENERAL[piece] ?? piece, isName: false, href: null };
    })
    .filter(({ text }) => text !== '');
  const [first, ...rest] = parts;
  const begun = first!.isName ? first! : { ...first!, text: capital(first!.text) };
  const all = [begun, ...rest];
  return { text: all.map((part) => part.text).join(''), parts: all, tone };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
