import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { printAtExit } from './closing-line-reporter.js';
import globalSetup from './global-setup.js';
import { NOBODY } from './servers/redis-server.js';

/** As for the others, and one process of the service for all modules of the conformance plans. */
export default async function conformanceSetup() {
  await globalSetup();
  try {
    const port = await freePort();
    process.env.CONFORMANCE_URL = `http://127.0.0.1:${port}`;
    globalThis.conformanceService = start(port);
    await isUp(globalThis.conformanceService, process.env.CONFORMANCE_URL);
  } catch (error) {
    globalThis.conformanceService?.kill('SIGKILL');
    printAtExit('0 passed, 1 failed');
    throw error;
  }
}

/** The environment of `testEnvironment()` (test-settings.ts), which workers read. */
function start(port) {
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOST: '127.0.0.1',
      PORT: String(port),
      BASE_URL: process.env.CONFORMANCE_URL,
      DATABASE_URL: process.env.TEST_DATABASE_URL,
      REDIS_URL: process.env.TEST_REDIS_URL ?? NOBODY,
      SECRET_KEY: process.env.TEST_SECRET_KEY,
      BCRYPT_COST: '4',
      REQUIRE_ADMIN_2FA: 'false',
      LOG_LEVEL: 'warn',
      RATE_LIMITS:
        'login_ip=100000/900,code_failures=100000/900,invite_failures=100000/900,signup_ip=100000/3600,forgot_password_ip=100000/900,login_page_ip=100000/60',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // jest skips the teardown when it is interrupted.
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

async function isUp(child, address) {
  for (const deadline = Date.now() + 45_000; Date.now() < deadline; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`The service for the conformance plans ended with ${child.exitCode}`);
    const answer = await fetch(`${address}/health/live`).catch(() => null);
    if (answer?.ok) return;
  }
  throw new Error('The service for the conformance plans did not come up');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
