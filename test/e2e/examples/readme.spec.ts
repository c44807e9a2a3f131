import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { HostedBrowser } from '../../support/hosted-page.js';
import { findProgram } from '../../support/servers/program.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { World } from '../../support/world.js';

/** The blocks marked `sh` in order, as a new user pastes them. */
const BLOCKS = [...readFileSync('README.md', 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block!);

describe('Shell commands in README.md', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;

  // Its own database: the commands name a bundle id and an address.
  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  /** Pastes the blocks into a shell; when the shell asks for the code, signs in as the README describes. */
  async function paste(): Promise<{ code: number; lines: string[] }> {
    const curl = findProgram('curl');
    const mine = { BASE: service.baseUrl, EMAIL: world.admin.email, PASSWORD: world.admin.password };
    const values = Object.entries(mine).map(([name, value]) => `${name}='${value}'`);
    const shell = spawn('sh', ['-euc', [...values, ...BLOCKS.slice(1)].join('\n')], {
      env: { ...process.env, PATH: `${dirname(curl)}:${process.env['PATH']}` },
    });
    let output = '';
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    const exited = once(shell, 'exit');
    await Promise.race([answerForCode(shell, () => output), exited]);
    const [code] = (await exited) as [number];
    return { code, lines: output.trim().split('\n') };
  }

  async function answerForCode(shell: ChildProcess, output: () => string): Promise<void> {
    const link = await eventually('the shell asks for the code', () => /^(http\S+)\nCode: $/m.exec(output())?.[1]);
    const browser = new HostedBrowser(service.baseUrl);
    const back = await browser.signIn(link, 'ada@example.com', 'difference engine');
    shell.stdin!.end(`${back.delivered.get('code')}\n`);
  }

  it('work as printed, from the first admin to a signed-in user', async () => {
    expect(BLOCKS[0]).toMatch(/^BASE=\S+\nEMAIL=\S+\nPASSWORD='.+'\n$/);
    const { code, lines } = await paste();
    expect({ code, lines }).toMatchObject({ code: 0 });
    const answers = lines
      .map((line) => line.replace(/^Code: /, ''))
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(answers).toMatchObject([
      { email: 'ada@example.com', display_name: 'Ada' },
      { valid: true, claims: { email: 'ada@example.com', roles: ['user'] } },
      { email: 'ada@example.com', name: 'Ada' },
      { token_type: 'Bearer', expires_in: 900, refresh_token: expect.any(String) },
      { token_type: 'bearer', expires_in: 900, scope: 'users:read' },
      { token_type: 'Bearer', access_token: expect.any(String), refresh_token: expect.any(String) },
    ]);
  });
});
