/** Arguments of a message: texts, numbers, dates, other messages, and lists of alternatives. */
export type MessageValue = string | number | Date | Message | readonly Text[];
export type MessageValues = Readonly<Record<string, MessageValue>>;

/** A message of the catalogue with its values. It becomes text when a page or mail is rendered, in that reader's language. */
export class Message {
  constructor(
    readonly key: string,
    readonly values: MessageValues,
  ) {}
}

/** What a page or mail can show: a message, or text that is not translated, such as a name. */
export type Text = string | Message;

/**
 * @param key file and name in `locales/en`, for example `sign-in.forgot.title`. Always a literal, so that a test can
 * find it
 */
export function message(key: string, values: MessageValues = {}): Message {
  return new Message(key, values);
}

/** Reviver for `JSON.parse` that restores messages. */
export function reviveMessage(_name: string, value: unknown): unknown {
  const { key, values, ...others } = (value ?? {}) as Partial<Message>;
  if (typeof key !== 'string' || typeof values !== 'object' || Object.keys(others).length > 0) return value;
  return new Message(key, values);
}
