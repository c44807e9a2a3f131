import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeSlowReaders } from '../../../../../src/common/http/express/slow-readers.js';

const IDLE_MS = 100;
const CHECK_MS = 20;
const FOR_EVER_MS = 3_600_000;
/** More than the system keeps for a connection. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

describe('closeSlowReaders', () => {
  let server: Server;
  let client: Socket;

  afterEach(async () => {
    client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function open(
    handler: RequestListener,
    { idleMs = IDLE_MS, maxUnreadBytes }: { idleMs?: number; maxUnreadBytes?: number } = {},
  ): Promise<Socket> {
    server = createServer(handler);
    closeSlowReaders(server, { idleMs, checkMs: CHECK_MS, ...(maxUnreadBytes ? { maxUnreadBytes } : {}) });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const connected = once(server, 'connection') as Promise<[Socket]>;
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    const [socket] = await connected;
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    return socket;
  }

  const bytes = async () => {
    let count = 0;
    client.on('data', (chunk: Buffer) => (count += chunk.length));
    await once(client, 'close');
    return count;
  };

  it('closes the connection of a client that reads nothing of the rest', async () => {
    const socket = await open((_, response) => response.end(LARGE));
    client.pause();
    await once(socket, 'close');
    expect(socket.bytesWritten).toBeGreaterThan(0);
  });

  it('lets a client read slowly', async () => {
    // Longer than a busy machine stops the client, and shorter than it reads.
    await open((_, response) => response.setHeader('Connection', 'close').end(LARGE), { idleMs: 1_000 });
    const count = bytes();
    client.on('data', () => {
      client.pause();
      setTimeout(() => client.resume(), 5);
    });
    expect(await count).toBeGreaterThan(LARGE.length);
  });

  it('waits for an answer that takes longer to make', async () => {
    await open((_, response) => {
      void sleep(4 * IDLE_MS).then(() => response.setHeader('Connection', 'close').end('late'));
    });
    expect(await bytes()).toBeGreaterThan(4);
  });

  it('waits for the rest of an answer whose first part took a moment to send', async () => {
    await open((_, response) => {
      response.setHeader('Connection', 'close').write(LARGE, () => {
        setTimeout(() => response.end('late'), 10 * IDLE_MS);
      });
    });
    client.pause();
    setTimeout(() => client.resume(), IDLE_MS / 2);
    let end = '';
    client.on('data', (chunk: Buffer) => (end = (end + chunk.toString('latin1')).slice(-20)));
    await once(client, 'close');
    expect(end).toContain('late');
  });

  it('closes the connection when the client stops reading after a slow answer', async () => {
    const socket = await open((_, response) => {
      void sleep(3 * IDLE_MS).then(() => response.end(LARGE));
    });
    client.pause();
    await once(socket, 'close');
    expect(socket.bytesWritten).toBeGreaterThan(0);
  });

  /** Another client, which reads nothing. */
  const connectAgain = async (path: string, requests: number) => {
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const other = connect((server.address() as AddressInfo).port, '127.0.0.1');
    other.on('error', () => undefined);
    const [socket] = await connected;
    other.pause();
    other.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(requests));
    return { other, socket };
  };

  it('closes the connection with the most unread bytes when all together leave too much', async () => {
    const half = LARGE.subarray(0, LARGE.length / 2);
    const first = await open(({ url }, response) => response.end(url === '/large' ? LARGE : half), {
      idleMs: FOR_EVER_MS,
      maxUnreadBytes: LARGE.length,
    });
    client.pause();
    const { other, socket: second } = await connectAgain('/large', 1);
    await once(second, 'close');
    expect([first.destroyed, first.writableLength > 0]).toEqual([false, true]);
    other.destroy();
  });

  it('counts answers to pipelined requests, which wait behind the first one', async () => {
    const first = await open(({ url }, response) => response.end(url === '/large' ? LARGE : 'short'), {
      idleMs: FOR_EVER_MS,
      maxUnreadBytes: 1.5 * LARGE.length,
    });
    const { other, socket } = await connectAgain('/large', 3);
    await once(socket, 'close');
    expect(first.destroyed).toBe(false);
    other.destroy();
  });
});
