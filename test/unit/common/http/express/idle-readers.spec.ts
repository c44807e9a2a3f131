import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeIdleReaders } from '../../../../../src/common/http/express/idle-readers.js';

const IDLE_MS = 100;
/** More than the system keeps for a connection. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

describe('closeIdleReaders', () => {
  let server: Server;
  let client: Socket;

  afterEach(async () => {
    client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function open(handler: RequestListener): Promise<Socket> {
    server = createServer(handler);
    closeIdleReaders(server);
    expect(server.timeout).toBe(60_000);
    server.timeout = IDLE_MS;
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
    await open((_, response) => response.setHeader('Connection', 'close').end(LARGE));
    const count = bytes();
    client.on('data', () => {
      client.pause();
      setTimeout(() => client.resume(), 1);
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
});
