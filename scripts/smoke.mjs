// Starts the built service in its embedded mode, in its own folder, signs in, and stops it again. Run it with the
// Node that is to be tried: node scripts/smoke.mjs
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MS_TO_START = 120_000;
const MS_TO_STOP = 10_000;
const ADMIN = { email: 'root@example.com', password: 'correct horse battery staple' };

/** Packages with their own binary: each must load and do something. */
async function tryNativePackages() {
  const [{ default: bcrypt }, argon2, { default: sharp }, swc] = await Promise.all(
    ['bcrypt', '@node-rs/argon2', 'sharp', '@swc/core'].map((name) => import(name)),
  );
  assert.equal(await bcrypt.compare('a', await bcrypt.hash('a', 4)), true);
  assert.equal(await argon2.verify(await argon2.hash('a'), 'a'), true);
  const image = sharp({ create: { width: 2, height: 2, channels: 3, background: '#fff' } });
  assert.equal((await sharp(await image.png().toBuffer()).metadata()).width, 2);
  assert.match(
    (await swc.transform('const a: number = 1', { jsc: { parser: { syntax: 'typescript' } } })).code,
    /a = 1/,
  );
}

async function signIn(base) {
  const console = await fetch(`${base}/console/login`, { redirect: 'manual' });
  const page = new URL(console.headers.get('location'), base);
  const answer = await fetch(`${base}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...ADMIN, app_id: page.searchParams.get('app_id') }),
  });
  const { access_token: token } = await answer.json();
  assert.equal(answer.status, 200, `sign-in: ${answer.status}`);
  const tenants = await fetch(`${base}/admin/tenants`, { headers: { Authorization: `Bearer ${token}` } });
  assert.equal(tenants.status, 200, `the list of tenants: ${tenants.status}`);
}

async function ready(base, service) {
  for (const deadline = Date.now() + MS_TO_START; Date.now() < deadline; await sleep(100)) {
    assert.equal(service.exitCode, null, `the service ended with ${service.exitCode}`);
    const answer = await fetch(`${base}/health/ready`).catch(() => null);
    if (answer?.status === 200) return;
  }
  assert.fail('the service did not become ready');
}

async function stop(service) {
  const exited = once(service, 'exit');
  service.kill('SIGTERM');
  const late = setTimeout(() => service.kill('SIGKILL'), MS_TO_STOP);
  const [code, signal] = await exited;
  clearTimeout(late);
  assert.equal(signal ?? code, 0, `after SIGTERM the service ended with ${signal ?? code}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

await tryNativePackages();
const folder = mkdtempSync(join(tmpdir(), 'broker-smoke-'));
chmodSync(folder, 0o711); // the database's own user must be able to enter
const port = await freePort();
const service = spawn(process.execPath, ['dist/main.js'], {
  cwd: ROOT,
  env: {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: String(port),
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'warn',
    BOOTSTRAP_ADMIN_EMAIL: ADMIN.email,
    BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
  },
  stdio: ['ignore', 'ignore', 'pipe'],
});
let warnings = '';
service.stderr.on('data', (chunk) => {
  warnings += chunk;
  process.stderr.write(chunk);
});
try {
  await ready(`http://127.0.0.1:${port}`, service);
  await signIn(`http://127.0.0.1:${port}`);
  await stop(service);
  assert.equal(warnings, '', 'the service prints no warning of Node');
  console.log(`Node ${process.versions.node}: starts, is ready, signs in, stops`);
} finally {
  if (service.exitCode === null && service.signalCode === null) service.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
