import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { eventually } from '../../../../support/wait.js';
import { sendFile } from '../../../../../src/common/http/streams/streamed-file.js';

describe('Download as a stream', () => {
  /** @returns the text that arrived, after the source was closed; null where the connection was cut */
  async function download(pieces: number, pauseMs: number, longestMs?: number) {
    let isClosed = false;
    async function* chunks() {
      try {
        for (let piece = 0; piece < pieces; piece++) {
          await sleep(pauseMs);
          yield 'x';
        }
      } finally {
        isClosed = true;
      }
    }
    const app = express().get('/', async (_, response) => {
      const longest = longestMs === undefined ? {} : { longestMs };
      await sendFile(response, { fileName: 'a.txt', contentType: 'text/plain', chunks: chunks(), ...longest });
    });
    const server = await listen(createServer(app));
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const text = await answer.text().catch(() => null);
    await eventually('a closed source', () => isClosed);
    server.closeAllConnections();
    server.close();
    return text;
  }

  it('arrives whole, and closes its source', async () => {
    expect(await download(3, 1)).toBe('xxx');
  });

  it('is cut and lets go of its source when it takes longer than allowed', async () => {
    expect(await download(1_000, 20, 200)).toBeNull();
  });

  it('lets go of its source when the client hung up before the first piece', async () => {
    let isClosed = false;
    const app = express().get('/', async (_, response) => {
      async function* chunks() {
        try {
          const gone = once(response, 'close');
          client.destroy();
          await gone;
          yield 'x';
          yield 'x';
        } finally {
          isClosed = true;
        }
      }
      await sendFile(response, { fileName: 'a.txt', contentType: 'text/plain', chunks: chunks() });
    });
    const server = await listen(createServer(app));
    const client = request({ port: (server.address() as AddressInfo).port, agent: false }).on('error', () => undefined);
    client.end();
    await eventually('a closed source', () => isClosed);
    server.close();
  });
});

async function listen(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
