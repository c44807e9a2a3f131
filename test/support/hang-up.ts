import type { Socket } from 'node:net';
import { request } from 'node:http';
import { Client } from 'pg';
import { isBlocking } from './row-locks.js';
import type { TestApp } from './test-app.js';
import { eventually } from './wait.js';

export interface InterruptedRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token: string;
  readonly body?: object;
}

/**
 * Sends a request that writes an audit entry, and hangs up while the entry waits for a lock. Returns once the service knows that the
 * client has gone, and may go on.
 */
export async function hangUpBeforeAnswer(
  service: TestApp,
  databaseUrl: string,
  asked: InterruptedRequest,
): Promise<void> {
  const barrier = new Client({ connectionString: databaseUrl });
  await barrier.connect();
  try {
    await barrier.query('BEGIN');
    await barrier.query('LOCK TABLE audit_entries IN SHARE MODE');
    const sockets: Socket[] = [];
    const note = (socket: Socket) => sockets.push(socket);
    service.nest.getHttpServer().on('connection', note);
    const sent = send(service, asked);
    await eventually('the entry waits', () => isBlocking(barrier));
    service.nest.getHttpServer().off('connection', note);
    const port = sent.hangUp();
    const socket = sockets.find(({ remotePort }) => remotePort === port)!;
    await eventually('the service knows', () => socket.destroyed);
    await barrier.query('COMMIT');
  } finally {
    await barrier.end();
  }
}

function send({ baseUrl }: TestApp, { method, path, token, body }: InterruptedRequest) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const client = request(`${baseUrl}${path}`, { method, headers, agent: false }).on('error', () => undefined);
  client.end(body && JSON.stringify(body));
  return {
    /** @returns the port that it was sent from */
    hangUp: () => {
      const port = client.socket!.localPort;
      client.destroy();
      return port;
    },
  };
}
