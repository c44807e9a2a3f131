import { Message } from './message.js';

type Model = Readonly<Record<string, unknown>>;

/** A copy of the model in which all messages, at any depth, are texts. */
export function withTexts(model: Model, inWords: (message: Message) => string): Model {
  return textsIn(model, inWords) as Model;
}

function textsIn(value: unknown, inWords: (message: Message) => string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Message) return inWords(value);
  if (Array.isArray(value)) return value.map((each) => textsIn(each, inWords));
  // Dates, entities and other class instances contain no messages.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const texts: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) texts[name] = textsIn(each, inWords);
  return texts;
}
