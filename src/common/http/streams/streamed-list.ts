import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';

/**
 * A JSON array whose parts are read while it is sent, as fast as the client reads. A failure in the first two parts is an
 * ordinary error. A failure after them closes the connection, so that the client does not mistake half a list for a
 * complete one.
 * @param parts must hold no resources between two parts
 * @returns the list itself if it has one part
 */
export async function listInParts<Item>(parts: AsyncGenerator<readonly Item[]>): Promise<Item[] | StreamableFile> {
  const first = await parts.next();
  if (first.done) return [];
  const second = await parts.next();
  if (second.done) return [...first.value];
  // By default a stream would read 16 parts ahead.
  const text = Readable.from(jsonOf([first.value, second.value], parts), { highWaterMark: 1 });
  const list = new StreamableFile(text, { type: 'application/json; charset=utf-8' });
  return list.setErrorHandler((error, response) => (response as Response).destroy(error));
}

async function* jsonOf<Item>(
  begun: readonly (readonly Item[])[],
  rest: AsyncGenerator<readonly Item[]>,
): AsyncGenerator<string> {
  let separator = '[';
  const next = (items: readonly Item[]) => {
    const text = items.map((item) => JSON.stringify(item)).join(',');
    const begin = text === '' ? '' : separator;
    if (text !== '') separator = ',';
    return begin + text;
  };
  for (const items of begun) yield next(items);
  for await (const items of rest) yield next(items);
  yield separator === '[' ? '[]' : ']';
}
