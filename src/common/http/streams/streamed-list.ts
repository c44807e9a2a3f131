import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';

export interface ListOptions<Item> {
  /** What is sent of an item; default: the item itself. */
  readonly viewOf?: (item: Item) => unknown;
  /** Called before a later part is sent. If it throws, the connection is closed. */
  readonly recheck?: () => Promise<void>;
}

/**
 * A JSON array whose parts are read while it is sent, as fast as the client reads. A failure in the first two parts is an
 * ordinary error. A failure after them closes the connection, so that the client does not mistake half a list for a
 * complete one.
 * @param parts must hold no resources between two parts
 * @returns the list itself if it has one part
 */
export async function listInParts<Item>(
  parts: AsyncGenerator<readonly Item[]>,
  { viewOf = (item) => item, recheck = () => Promise.resolve() }: ListOptions<Item> = {},
): Promise<unknown[] | StreamableFile> {
  const first = await parts.next();
  if (first.done) return [];
  const second = await parts.next();
  if (second.done) return first.value.map(viewOf);
  const begun = [first.value, second.value];
  const next = async () => textOf(begun.shift() ?? (await parts.next()).value, viewOf);
  // By default a stream would read 16 parts ahead.
  const text = Readable.from(jsonOf(next, recheck), { highWaterMark: 1 });
  const list = new StreamableFile(text, { type: 'application/json; charset=utf-8' });
  return list.setErrorHandler((error, response) => (response as Response).destroy(error));
}

/** Keeps only the text of a part while the client reads it. @param next null after the last part */
async function* jsonOf(next: () => Promise<string | null>, recheck: () => Promise<void>): AsyncGenerator<string> {
  let separator = '[';
  for (let text = await next(); text !== null; text = await next()) {
    if (text === '') continue;
    yield separator + text;
    separator = ',';
    await recheck();
  }
  yield separator === '[' ? '[]' : ']';
}

function textOf<Item>(items: readonly Item[] | undefined, viewOf: (item: Item) => unknown): string | null {
  return items ? items.map((item) => JSON.stringify(viewOf(item))).join(',') : null;
}
