import { describe, expect, it } from '@jest/globals';
import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listInParts } from '../../../../../src/common/http/streams/streamed-list.js';

describe('listInParts', () => {
  let read = 0;
  async function* parts(count: number, failAt = Infinity): AsyncGenerator<{ n: number }[]> {
    for (read = 0; read < count;) {
      await nextTurn();
      if (read === failAt) throw new Error('the database is gone');
      read++;
      yield read === 3 ? [] : [{ n: read }, { n: -read }];
    }
  }
  const streamOf = async (count: number, failAt?: number) => {
    const list = await listInParts(parts(count, failAt));
    expect(list).toBeInstanceOf(StreamableFile);
    return list as StreamableFile;
  };

  it('returns a list of one part as it is, and an empty list', async () => {
    expect(await listInParts(parts(0))).toEqual([]);
    expect(await listInParts(parts(1))).toEqual([{ n: 1 }, { n: -1 }]);
  });

  it.each([2, 3, 4, 30])('streams %i parts as one JSON array', async (count) => {
    const list = await streamOf(count);
    const items = Array.from({ length: count }, (_, index) => index + 1).filter((n) => n !== 3);
    expect(JSON.parse(await text(list.getStream()))).toEqual(items.flatMap((n) => [{ n }, { n: -n }]));
  });

  it('reads no further than the client', async () => {
    const stream = (await streamOf(100)).getStream();
    const chunks = stream[Symbol.asyncIterator]();
    for (let taken = 1; taken <= 5; taken++) await chunks.next();
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    expect(read).toBeLessThan(9);
    stream.destroy();
  });

  it('refuses if one of the first two parts cannot be read', async () => {
    await expect(listInParts(parts(9, 0))).rejects.toThrow('the database is gone');
    await expect(listInParts(parts(9, 1))).rejects.toThrow('the database is gone');
  });

  it('sends the views of the items', async () => {
    const list = await listInParts(parts(5), { viewOf: ({ n }) => `no. ${n}` });
    const sent = JSON.parse(await text((list as StreamableFile).getStream())) as string[];
    expect(sent).toEqual([1, 2, 4, 5].flatMap((n) => [`no. ${n}`, `no. ${-n}`]));
    expect(await listInParts(parts(1), { viewOf: ({ n }) => n })).toEqual([1, -1]);
  });

  it('checks the reader again before each part but the first', async () => {
    let checks = 0;
    const recheck = () => (++checks === 2 ? Promise.reject(new Error('gone')) : Promise.resolve());
    const stream = ((await listInParts(parts(9), { recheck })) as StreamableFile).getStream();
    const chunks: unknown[] = [];
    await expect(
      (async () => {
        for await (const chunk of stream) chunks.push(chunk);
      })(),
    ).rejects.toThrow('gone');
    expect(chunks.map(String)).toEqual(['[{"n":1},{"n":-1}', ',{"n":2},{"n":-2}']);
  });

  it('closes the connection if a later part cannot be read', async () => {
    const list = await streamOf(9, 4);
    const failure = await text(list.getStream()).catch((error: unknown) => error);
    const closed: unknown[] = [];
    const response = { headersSent: true, destroy: (error: unknown) => closed.push(error) };
    list.errorHandler(failure as Error, response as unknown as Response);
    expect(closed).toEqual([new Error('the database is gone')]);
  });
});
