import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { noisyPng, plainImage } from '../../support/images.js';
import { BOUNDARY, logoForm, multipart, MULTIPART_TYPE, postLogo } from '../../support/multipart.js';
import { newUsers } from '../../support/new-user.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

const MB = 1024 * 1024;

// security 92, 94; F17, F18
describe('POST /admin/apps/{app_id}/logo with a multipart body', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let world: World;
  let app: TestClient;
  let png: Buffer;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startProcess('dist/main.js', { DATABASE_URL: database.url, RATE_LIMITS: 'off', LOG_LEVEL: 'info' });
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant());
    png = await plainImage('png', { width: 8, height: 8 });
  });

  afterAll(async () => {
    await world?.close();
    await service?.kill();
    await database.drop();
  });

  const send = (body: Buffer | string, type?: string) =>
    postLogo(service.baseUrl, app.id, world.admin.token, Buffer.from(body), type);
  const rss = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))![1]) / 1024;
  const logo = async () =>
    (await world.sql<{ logo_data: string | null }>('SELECT logo_data FROM apps WHERE id = $1', [app.id]))[0]!.logo_data;

  /** Sends the head of an upload; the caller sends the body. */
  async function open(
    headers: readonly string[],
    { token, appId } = { token: world.admin.token, appId: app.id },
  ): Promise<{ socket: Socket; answer: () => string }> {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const head = [`POST /admin/apps/${appId}/logo HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`];
    socket.write([...head, ...headers, '', ''].join('\r\n'));
    return { socket, answer: () => text };
  }

  async function expectAlive(): Promise<void> {
    expect((await send(logoForm(png))).status).toBe(200);
    await eventually('it is ready', async () => (await fetch(`${service.baseUrl}/health/ready`)).status === 200);
  }

  const requestLine = (matches: (status: number) => boolean) =>
    service
      .logs()
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line) as { status: number; method: string; path: string })
      .findLast(({ status }) => matches(status));

  const part = (disposition: string, content = 'x') =>
    `--${BOUNDARY}\r\n${disposition}\r\nContent-Type: image/png\r\n\r\n${content}\r\n`;
  const file = 'Content-Disposition: form-data; name="file"; filename="a.png"';
  const end = `--${BOUNDARY}--\r\n`;
  const MALFORMED: Record<string, [string | Buffer, string?]> = {
    'an empty field name': [multipart({ name: '', filename: 'a.png', content: 'x' })],
    'an empty field name without a file': [multipart({ name: '', content: 'x' })],
    'no field name': [part('Content-Disposition: form-data; filename="a.png"') + end],
    'no disposition': [part('X-Nothing: here') + end],
    'a name that reaches the prototype': [multipart({ name: '__proto__[file]', content: 'x' })],
    'a name of 10,000 characters': [multipart({ name: 'n'.repeat(10_000), content: 'x' })],
    'names in brackets': [multipart({ name: 'a[1000000][b][c]', content: 'x' })],
    'no end': [part(file)],
    'an end within the file': [`--${BOUNDARY}\r\n${file}\r\n\r\nabc`],
    'another boundary than in its type': [logoForm(Buffer.from('x')).toString().replaceAll(BOUNDARY, 'other')],
    'no boundary in its type': [part(file) + end, 'multipart/form-data'],
    'an empty boundary': [part(file) + end, 'multipart/form-data; boundary='],
    'a boundary of 5,000 characters': [part(file) + end, `multipart/form-data; boundary=${'b'.repeat(5000)}`],
    'no content': [''],
    'only empty lines': ['\r\n'.repeat(5000)],
    'header lines without end': [`--${BOUNDARY}\r\n${'X-A: b\r\n'.repeat(5000)}`],
    'a header without a colon': [`--${BOUNDARY}\r\nnothing\r\n\r\nx\r\n${end}`],
    'bytes that are not text in its headers': [
      Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n`), Buffer.alloc(300, 0xff), Buffer.from(`\r\n\r\nx\r\n${end}`)]),
    ],
    'a thousand parts': [multipart(...Array.from({ length: 1000 }, (_, n) => ({ name: `f${n}`, content: 'x' })))],
    'a thousand files': [
      multipart(...Array.from({ length: 1000 }, () => ({ name: 'file', filename: 'a.png', content: 'x' }))),
    ],
    'two files': [multipart(...[1, 2].map(() => ({ name: 'file', filename: 'a.png', content: 'x' })))],
    'a file under another name beside it': [
      multipart({ name: 'file', filename: 'a.png', content: 'x' }, { name: 'more', filename: 'b.png', content: 'x' }),
    ],
    'a field of 100,000 characters beside it': [
      multipart({ name: 'note', content: 'x'.repeat(100_000) }, { name: 'file', filename: 'a.png', content: 'x' }),
    ],
  };

  it.each(Object.entries(MALFORMED))(
    'returns 422 for a body with %s, and the service keeps running',
    async (_, [body, type]) => {
      const before = await logo();
      const answer = await send(body, type);
      expect([answer.status, answer.body.detail]).toEqual([
        422,
        [expect.objectContaining({ loc: expect.arrayContaining(['body']) })],
      ]);
      expect(await logo()).toBe(before);
      await expectAlive();
    },
  );

  it('returns 422 or 415 for a body that is not multipart', async () => {
    expect((await send('{"file": "x"}', 'application/json')).status).toBe(422);
    expect((await send('file=x', 'application/x-www-form-urlencoded')).status).toBe(422);
    expect((await send(png, 'image/png')).status).toBe(415);
    expect((await send(part(file) + end, `multipart/mixed; boundary=${BOUNDARY}`)).status).toBe(415);
    await expectAlive();
  });

  it('releases everything when the sender disconnects during the upload', async () => {
    for (let round = 0; round < 20; round++) {
      const { socket } = await open([`Content-Type: ${MULTIPART_TYPE}`, 'Content-Length: 1000000']);
      socket.write(part(file, 'x'.repeat(round * 1000)).slice(0, -2));
      await new Promise((resolve) => setImmediate(resolve));
      socket.destroy();
    }
    // These were more uploads than a user may run in parallel: their places must be free again.
    await eventually('places are given back', async () => (await send(logoForm(png))).status === 200);
    await expectAlive();
    expect(service.logs().filter((line) => /uncaught|unhandled|"stack"/i.test(line))).toEqual([]);
  });

  it('returns 403 and keeps the picture if the sender loses the role during the upload', async () => {
    const before = await logo();
    const admin = await world.user(app, { roles: ['admin'] });
    const { access_token: token } = await world.tokens(admin, app.id);
    const body = logoForm(png);
    const headers = [`Content-Type: ${MULTIPART_TYPE}`, `Content-Length: ${body.length}`, 'Connection: close'];
    const uploads = await Promise.all([1, 2].map(() => open(headers, { token, appId: app.id })));
    for (const { socket } of uploads) socket.write(body.subarray(0, 40));
    // An app has one at once: when one of them is refused, the other is being read.
    const isRefused = () => uploads.some(({ answer }) => answer().startsWith('HTTP/1.1 503 '));
    await eventually('an upload is being read', isRefused);
    await world.asAdmin('PUT', `/admin/users/${admin.id}/roles`, { app_id: app.id, roles: ['user'] });
    const { socket, answer } = uploads.find((upload) => upload.answer() === '')!;
    socket.write(body.subarray(40));
    await once(socket, 'close');
    expect(answer()).toMatch(/^HTTP\/1\.1 403 /);
    expect(await logo()).toBe(before);
  });

  it('returns 413 for an endless body after 2 MB and closes the connection', async () => {
    const { socket, answer } = await open([`Content-Type: ${MULTIPART_TYPE}`, 'Transfer-Encoding: chunked']);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const frame = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
    const head = part(file).slice(0, -3);
    socket.write(`${Buffer.byteLength(head).toString(16)}\r\n${head}\r\n`);
    let sent = 0;
    while (!socket.destroyed && sent < 200 * MB) {
      sent += chunk.length;
      if (!socket.write(frame)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    }
    await closed;
    expect(sent).toBeLessThan(40 * MB);
    // The operating system decides whether the writing sender can read the answer before the connection breaks.
    if (answer() !== '') expect(answer()).toMatch(/^HTTP\/1\.1 413 [^]*"Logo too large"/);
    const line = await eventually('it is logged', () => requestLine((status) => status === 413));
    expect(line).toMatchObject({ method: 'POST', path: `/admin/apps/${app.id}/logo` });
    await expectAlive();
  });

  it('returns 413 for a too large Content-Length before reading the body', async () => {
    const { socket, answer } = await open([`Content-Type: ${MULTIPART_TYPE}`, `Content-Length: ${500 * MB}`]);
    await eventually('it is answered', () => answer().includes('Logo too large'));
    expect(answer()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('returns 503 for too many parallel uploads, and limits the memory', async () => {
    await expectAlive();
    const image = logoForm(await noisyPng({ width: 700, height: 700 }));
    expect(image.length).toBeGreaterThan(MB);
    const admins: string[] = [];
    for (let made = 0; made < 12; made++) {
      const user = await world.user(app, { roles: ['admin'] });
      admins.push((await world.tokens(user, app.id)).access_token);
    }
    const before = rss();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) => postLogo(service.baseUrl, app.id, admins[n % 12], image)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    for (const { status, headers } of answers.filter((each) => each.status === 503))
      expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
    expect(rss() - before).toBeLessThan(150);
    await expectAlive();
  });

  it('returns 503 for the third parallel upload of one user, and accepts those of other users', async () => {
    const held = await Promise.all(
      [1, 2, 3, 4].map(() => open([`Content-Type: ${MULTIPART_TYPE}`, 'Content-Length: 100000'])),
    );
    for (const { socket } of held) socket.write(part(file).slice(0, -2));
    const refused = await eventually('two are refused', () => {
      const answers = held.map(({ answer }) => answer()).filter((text) => text.includes('\r\n\r\n{'));
      return answers.length === 2 ? answers : null;
    });
    for (const text of refused) expect(text).toMatch(/^HTTP\/1\.1 503 [^]*"Too many uploads at once"/);
    const other = await world.user(app, { roles: ['admin'] });
    const { access_token } = await world.tokens(other, app.id);
    expect((await postLogo(service.baseUrl, app.id, access_token, logoForm(png))).status).toBe(200);
    for (const { socket } of held) socket.destroy();
    await eventually('the places are free again', async () => (await send(logoForm(png))).status === 200);
  });

  /** Upload that does not end. */
  async function hold(token: string, appId: string): Promise<{ socket: Socket; answer: () => string }> {
    const held = await open([`Content-Type: ${MULTIPART_TYPE}`, 'Content-Length: 100000'], { token, appId });
    held.socket.write(part(file).slice(0, -2));
    return held;
  }
  const tokenAt = async (user: TestUser, at: TestClient) => (await world.tokens(user, at.id)).access_token;

  it('returns 503 for the second parallel upload of one app, from any operator, and accepts those of other apps', async () => {
    const admins = await newUsers(world, 4, app, { roles: ['admin'] });
    const held = await Promise.all(admins.map(async (each) => hold(await tokenAt(each, app), app.id)));
    await eventually(
      'three are refused',
      () => held.filter(({ answer }) => /^HTTP\/1\.1 503 [^]*"Too many uploads at once"/.test(answer())).length === 3,
    );
    const elsewhere = await world.app(await world.tenant());
    const theirs = await tokenAt(await world.user(elsewhere, { roles: ['admin'] }), elsewhere);
    expect((await postLogo(service.baseUrl, elsewhere.id, theirs, logoForm(png))).status).toBe(200);
    await expectAlive();
    for (const { socket } of held) socket.destroy();
  });

  it('counts what apps upload with the token of a user for the user at that app', async () => {
    const apps = await Promise.all([1, 2, 3].map(async () => world.app(await world.tenant())));
    const user = await world.user(apps[0]!, { roles: ['admin'] });
    for (const each of apps.slice(1))
      await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: each.id, roles: ['admin'] });
    const held = [];
    for (const each of apps.slice(0, 2)) held.push(await hold(await tokenAt(user, each), each.id));
    const own = await tokenAt(user, apps[2]!);
    expect((await postLogo(service.baseUrl, apps[2]!.id, own, logoForm(png))).status).toBe(200);
    for (const { socket } of held) socket.destroy();
  });
});
