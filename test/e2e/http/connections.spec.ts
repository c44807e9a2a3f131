import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { World } from '../../support/world.js';

const MOST = 32;
const OF_ONE = MOST / 4;
/** The server answers it as soon as it has begun the request. */
const ASKS_FIRST = 'Expect: 100-continue';

// F17
describe('Connections of a web process', () => {
  let service: TestApp;
  let database: TestDatabase;
  let sockets: Socket[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url, maxConnections: MOST } });
  });

  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
  });

  afterAll(async () => {
    await service.close();
    await database.drop();
  });

  /** From an address of the loopback network: all of 127.0.0.0/8 leads here. */
  const open = async (localAddress: string, sent = '', at = service): Promise<Socket> => {
    const { port } = new URL(at.baseUrl);
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    if (sent) socket.write(sent);
    if (sent.includes(ASKS_FIRST)) await new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
    return socket;
  };
  const openMany = async (count: number, from: (n: number) => string, sent = '', at = service): Promise<Socket[]> => {
    const opened = [];
    for (let n = 0; n < count; n++) opened.push(await open(from(n), sent, at));
    return opened;
  };
  const isOpen = (socket: Socket) => !socket.destroyed && !socket.readableEnded;
  const answerTo = async (socket: Socket): Promise<string> => {
    let text = '';
    socket.on('data', (data: Buffer) => (text += data.toString()));
    await eventually('an answer, or none', () => text.includes('\r\n\r\n') || socket.closed);
    return text;
  };
  const HEALTH = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';

  it.each([
    ['that send nothing', ''],
    ['that send half of a request', 'GET /health/live HTTP/1.1\r\nHo'],
    [
      'that send half of a body',
      'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n{',
    ],
  ])('%s keep no other client out, from however many addresses they come', async (_, sent) => {
    await openMany(MOST * 3, (n) => `127.0.1.${1 + (n % 50)}`, sent);
    expect(await answerTo(await open('127.0.0.2', HEALTH))).toContain('200 OK');
    await eventually('the others are closed', () => sockets.filter(isOpen).length <= MOST);
  });

  it('are for one address a quarter, and its oldest idle one makes room for its next', async () => {
    const [oldest, ...others] = await openMany(OF_ONE, () => '127.0.0.3');
    expect(await answerTo(await open('127.0.0.4', HEALTH))).toContain('200 OK');
    expect(await answerTo(await open('127.0.0.3', HEALTH))).toContain('200 OK');
    await eventually('the oldest is closed', () => !isOpen(oldest!));
    expect(others.filter(isOpen)).toHaveLength(OF_ONE - 1);
  });

  it('are all for one address behind a proxy, which opens those of all clients', async () => {
    const behind = await startTestApp({ settings: { maxConnections: MOST, trustProxy: 1 } });
    try {
      await openMany(MOST - 1, () => '127.0.0.5', '', behind);
      expect(await answerTo(await open('127.0.0.5', HEALTH, behind))).toContain('200 OK');
      expect(sockets.filter(isOpen)).toHaveLength(MOST);
    } finally {
      await behind.close();
    }
  });

  it('on which an answer is in progress are not closed for others', async () => {
    const world = await World.open(service.baseUrl, database.url);
    const app = await world.app(await world.tenant());
    const { id, email, password } = await world.user(app);
    const commit = await holdRows(database.url, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [id]);
    const body = JSON.stringify({ email, password, app_id: app.id });
    const head = `POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    const answer = answerTo(await open('127.0.0.6', `${head}\r\n\r\n${body}`));
    await waitersForLocks(world, 1);
    // All at once: after 2 s behind the lock the login would be answered 503.
    await Promise.all(Array.from({ length: MOST * 2 }, (_, n) => open(`127.0.1.${1 + (n % 50)}`)));
    await commit();
    expect(await answer).toContain('200 OK');
    await world.close();
  });
});
