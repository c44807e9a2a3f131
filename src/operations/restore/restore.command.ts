import { Command, CommandRunner, Option, SubCommand } from 'nest-commander';
import { Clock } from '../../common/clock.js';
import { systemContext } from '../../common/request-context.js';
import { SigningKeys } from '../../tokens/keys/signing-keys.js';
import { checklist } from './restore-checklist.js';
import { RestoreService } from './restore.service.js';
import { readTime } from './restore-time.rules.js';

interface Options {
  readonly dryRun?: boolean;
  readonly keepKeys?: boolean;
}

@SubCommand({
  name: 'revoke-before',
  arguments: '<time>',
  description:
    'After a backup was restored: revoke every token, session, code, link and invite issued before the time, and replace the signing keys',
  argsDescription: { time: 'When the service is started again, e.g. 2026-11-22T15:00:00Z; or "now"' },
})
export class RevokeBeforeCommand extends CommandRunner {
  constructor(
    private readonly restore: RestoreService,
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
  ) {
    super();
  }

  async run([given]: string[], { dryRun = false, keepKeys = false }: Options): Promise<void> {
    const time = readTime(given ?? '', this.clock.now());
    if (!time) return this.complain();
    const ctx = systemContext('cli');
    const ended = await this.restore.revokeBefore(ctx, time, dryRun);
    print(`${dryRun ? 'Would revoke' : 'Revoked'} what was issued before ${time.toISOString()}:`);
    for (const { what, count } of ended) print(`${String(count).padStart(9)}  ${what}`);
    const isKeyOld = !keepKeys && (await this.keys.list()).some(({ createdAt }) => createdAt < time);
    if (dryRun && isKeyOld) print('Would replace the signing keys.');
    if (dryRun) return print('Nothing was changed: this was a dry run.');
    if (isKeyOld)
      print(
        `New signing key ${await this.keys.rotate(ctx, { immediately: true })}; tokens signed with old keys are rejected.`,
      );
    for (const line of checklist(await this.restore.listSecrets(), !keepKeys)) print(line);
  }

  @Option({ flags: '--dry-run', description: 'Report what would be revoked, without changing anything' })
  readDryRun(): boolean {
    return true;
  }

  @Option({
    flags: '--keep-keys',
    description: 'Keep the signing keys, so that apps need not reload the key set. Only if none has leaked',
  })
  readKeepKeys(): boolean {
    return true;
  }

  private complain(): void {
    process.stderr.write('The time must be "now" or an ISO 8601 time with its zone, e.g. 2026-11-22T15:00:00Z\n');
    process.exitCode = 1;
  }
}

@Command({ name: 'restore', description: 'After a backup was restored', subCommands: [RevokeBeforeCommand] })
export class RestoreCommand extends CommandRunner {
  run(): Promise<void> {
    this.command.help();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
