import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { runCommand } from '../../support/command-line.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, World } from '../../support/world.js';
import type { Outcome } from '../fault.js';
import { OwnPostgres } from '../own-postgres.js';

/** F22: the run book of docs/operations.md, step by step: base backup, traffic, damage, recovery to the moment before, command. */
export async function pointInTime(): Promise<Outcome> {
  const postgres = await OwnPostgres.start();
  try {
    return await new Rehearsal(postgres).run();
  } finally {
    await postgres.stop();
  }
}

class Rehearsal {
  private readonly archive: string;
  private readonly base: string;
  private readonly broken: string[] = [];

  constructor(private readonly postgres: OwnPostgres) {
    this.archive = join(postgres.folder, 'archive');
    this.base = join(postgres.folder, 'base');
  }

  async run(): Promise<Outcome> {
    await this.archiveLog();
    const { service, world, app } = await this.open();
    const user = await world.user(app);
    const held = await world.tokens(user, app.id);
    await this.baseBackup();

    const refresh = (token: string) =>
      world.call<{ refresh_token: string }>('POST', '/token/refresh', { refresh_token: token, app_id: app.id });
    const child = (await refresh(held.refresh_token)).body.refresh_token;
    const [row] = await world.sql<{ moment: string }>('SELECT now()::text AS moment');
    await sleep(100);
    await world.call('POST', '/token/revoke', { refresh_token: child });
    await world.sql('DELETE FROM enrollments'); // the damage
    await this.untilArchived(world);
    await world.close();
    await service.kill('SIGKILL');

    const recovery = await this.recoverTo(row!.moment);
    const command = await runCommand(['restore', 'revoke-before', 'now'], { env: { DATABASE_URL: this.postgres.url } });
    if (command.code !== 0) this.broken.push(`the command ended with ${command.code}: ${command.output}`);
    await this.check(
      app,
      { email: user.email, password: user.password },
      [held.refresh_token, child],
      held.access_token,
    );
    const revoked = /(\d+) {2}refresh token families/.exec(command.stdout)?.[1];
    return {
      figures: `recovered in ${(recovery / 1_000).toFixed(1)} s; ${revoked} refresh token families revoked`,
      broken: this.broken,
    };
  }

  private async open(): Promise<{ service: ServiceProcess; world: World; app: TestClient }> {
    const service = await startProcess('dist/main.js', { DATABASE_URL: this.postgres.url, RATE_LIMITS: 'off' });
    const world = await World.open(service.baseUrl, this.postgres.url);
    return { service, world, app: await world.app(await world.tenant()) };
  }

  /** As docs/operations.md says under Backup. */
  private async archiveLog(): Promise<void> {
    const { uid, gid } = statSync(this.postgres.data);
    mkdirSync(this.archive);
    chownSync(this.archive, uid, gid);
    await this.sql(`ALTER SYSTEM SET archive_mode = 'on'`);
    await this.sql(`ALTER SYSTEM SET archive_command = 'test ! -f ${this.archive}/%f && cp %p ${this.archive}/%f'`);
    await this.postgres.restart();
  }

  /** What `pg_basebackup` does, by the functions that it is made of: the embedded server comes without the program. */
  private async baseBackup(): Promise<void> {
    const client = new Client({ connectionString: this.postgres.url });
    await client.connect();
    await client.query(`SELECT pg_backup_start('base', fast => true)`);
    execFileSync('cp', ['-a', this.postgres.data, this.base]);
    const { rows } = await client.query<{ label: string }>('SELECT labelfile AS label FROM pg_backup_stop()');
    await client.end();
    const { uid, gid } = statSync(this.base);
    for (const file of ['postmaster.pid', 'postmaster.opts']) rmSync(join(this.base, file), { force: true });
    execFileSync('find', [join(this.base, 'pg_wal'), '-type', 'f', '-delete']);
    writeFileSync(join(this.base, 'backup_label'), rows[0]!.label);
    chownSync(join(this.base, 'backup_label'), uid, gid);
  }

  private async untilArchived(world: World): Promise<void> {
    const [row] = await world.sql<{ file: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS file');
    await eventually('the log is archived', () => existsSync(join(this.archive, row!.file)), { within: 60_000 });
  }

  /** @returns milliseconds until it took writes */
  private async recoverTo(moment: string): Promise<number> {
    const { data } = this.postgres;
    await this.postgres.end();
    renameSync(data, `${data}.damaged`);
    renameSync(this.base, data);
    const settings = {
      restore_command: `cp ${this.archive}/%f %p`,
      recovery_target_time: moment,
      recovery_target_action: 'promote',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(data, 'postgresql.auto.conf'), lines.join(''));
    writeFileSync(join(data, 'recovery.signal'), '');
    chmodSync(data, 0o700);
    const begun = performance.now();
    await this.postgres.recover();
    await eventually(
      'recovery has ended',
      async () => !(await this.sql<{ busy: boolean }>('SELECT pg_is_in_recovery() AS busy'))[0]!.busy,
      { within: 60_000 },
    );
    return performance.now() - begun;
  }

  private async check(
    app: TestClient,
    login: { email: string; password: string },
    tokens: string[],
    accessToken: string,
  ): Promise<void> {
    const { service, world } = await this.open();
    const expectStatus = (what: string, status: number, expected: number) => {
      if (status !== expected) this.broken.push(`${what}: ${status}, not ${expected}`);
    };
    try {
      for (const [index, token] of tokens.entries()) {
        const { status } = await world.call('POST', '/token/refresh', { refresh_token: token, app_id: app.id });
        expectStatus(`refresh token ${index + 1}`, status, 401);
      }
      expectStatus(
        'access token',
        (await world.call('GET', '/userinfo', undefined, { token: accessToken })).status,
        401,
      );
      expectStatus('a sign-in', (await world.call('POST', '/auth/login', { ...login, app_id: app.id })).status, 200);
      const audit = await runCommand(['audit', 'verify'], { env: { DATABASE_URL: this.postgres.url } });
      if (audit.code !== 0) this.broken.push(`audit verify: ${audit.output}`);
    } finally {
      await world.close();
      await service.kill('SIGKILL');
    }
  }

  private async sql<Row extends object>(text: string): Promise<Row[]> {
    const client = new Client({ connectionString: this.postgres.url });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }
}
