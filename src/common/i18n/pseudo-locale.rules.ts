import { type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser';

const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ACCENTED = 'ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽåƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž';
const ACCENTS: ReadonlyMap<string, string> = new Map([...PLAIN].map((letter, at) => [letter, [...ACCENTED][at]!]));

/** The message with accents on its text and brackets around it. Arguments, plurals and tags do not change. */
export function pseudoMessage(elements: readonly MessageFormatElement[]): MessageFormatElement[] {
  return [literal('['), ...elements.map(accented), literal(']')];
}

function accented(element: MessageFormatElement): MessageFormatElement {
  switch (element.type) {
    case TYPE.literal:
      return literal(accentedText(element.value));
    case TYPE.tag:
      return { ...element, children: element.children.map(accented) };
    case TYPE.plural:
    case TYPE.select:
      return { ...element, options: accentedOptions(element.options) } as MessageFormatElement;
    default:
      return element;
  }
}

function accentedOptions(options: Readonly<Record<string, { value: MessageFormatElement[] }>>) {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, { ...option, value: option.value.map(accented) }]),
  );
}

function accentedText(text: string): string {
  return [...text].map((letter) => ACCENTS.get(letter) ?? letter).join('');
}

function literal(value: string): MessageFormatElement {
  return { type: TYPE.literal, value };
}
