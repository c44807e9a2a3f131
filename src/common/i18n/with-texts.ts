import { Message } from './message.js';

type Model = Readonly<Record<string, unknown>>;

/** The model with each of its messages, at any depth, in words. */
export function withTexts(model: Model, inWords: (message: Message) => string): Model {
  return textsIn(model, inWords) as Model;
}

function textsIn(value: unknown, inWords: (message: Message) => string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Message) return inWords(value);
  if (Array.isArray(value)) return value.map((each) => textsIn(each, inWords));
  // Dates, entities and other objects of a class hold no messages.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const texts: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) texts[name] = textsIn(each, inWords);
  return texts;
}
