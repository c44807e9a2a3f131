import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeSlowReaders } from '../../../../../src/common/http/express/slow-readers.js';

const IDLE_MS = 100;
const CHECK_MS = 1_000;
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
    closeSlowReaders(server, maxUnreadBytes);
    expect(server.timeout).toBe(60_000);
    server.timeout = idleMs;
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

  it('closes the connection when the client stops reading after a slow answer', async () => {
    const socket = await open((_, response) => {
      void sleep(3 * IDLE_MS).then(() => response.end(LARGE));
    });
    client.pause();
    await once(socket, 'close');
    expect(socket.bytesWritten).toBeGreaterThan(0);
  });

  it('closes the connections that take longest when all together leave too much unread', async () => {
    const first = await open((_, response) => response.end(LARGE), {
      idleMs: 0, // for ever
      maxUnreadBytes: 1.5 * LARGE.length,
    });
    client.pause();
    // The first one may take its time while there is room.
    await sleep(2 * CHECK_MS);
    expect([first.destroyed, first.writableLength > 0]).toEqual([false, true]);
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const other = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [second] = await connected;
    other.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(first, 'close');
    expect(second.destroyed).toBe(false);
    const closed = once(other, 'close');
    other.destroy();
    await closed;
  });
});
