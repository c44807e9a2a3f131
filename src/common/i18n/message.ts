/** What a message may name: texts, numbers, moments and other messages; of a list the reader may choose one. */
export type MessageValue = string | number | Date | Message | readonly Text[];
export type MessageValues = Readonly<Record<string, MessageValue>>;

/** A message of the catalogue with its values. It becomes text when a page or mail is rendered, in that reader's language. */
export class Message {
  constructor(
    readonly key: string,
    readonly values: MessageValues,
  ) {}
}

/** What a page or mail may show: a message, or text that is not ours to translate, for instance a name. */
export type Text = string | Message;

/** @param key file and name in `locales/en`, e.g. `sign-in.forgot.title`; always written out, so that a test finds it */
export function message(key: string, values: MessageValues = {}): Message {
  return new Message(key, values);
}

/** For `JSON.parse`: a message that was written as JSON is a message again. */
export function reviveMessage(_name: string, value: unknown): unknown {
  const { key, values, ...others } = (value ?? {}) as Partial<Message>;
  if (typeof key !== 'string' || typeof values !== 'object' || Object.keys(others).length > 0) return value;
  return new Message(key, values);
}
