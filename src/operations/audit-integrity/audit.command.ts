import { Command, CommandRunner, Option, SubCommand } from 'nest-commander';
import { NO_TENANT } from '../../audit/chain/seal.rules.js';
import { isUuid } from '../../common/validation/fields.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { AuditCheckpointsRepository } from './audit-checkpoints.repository.js';
import { AuditVerifier, type ChainReport } from './audit-verifier.js';

@SubCommand({
  name: 'verify',
  description: 'Verify the audit log from its beginning; exits with 1 if it was changed',
})
export class VerifyAuditCommand extends CommandRunner {
  constructor(
    private readonly verifier: AuditVerifier,
    private readonly tenants: TenantsService,
  ) {
    super();
  }

  async run(_arguments: string[], options: { tenant?: string }): Promise<void> {
    const chain = options.tenant === undefined ? null : await this.chainOf(options.tenant);
    const totals = { chains: 0, entries: 0, checkpoints: 0, unsigned: 0, broken: 0 };
    for (const each of chain === null ? await this.verifier.listChains() : [chain]) {
      const report = await this.verifier.verify(each);
      totals.chains++;
      for (const name of ['entries', 'checkpoints', 'unsigned'] as const) totals[name] += report[name];
      if (!report.fault) continue;
      totals.broken++;
      say(sentence(report));
    }
    say(
      `${totals.chains} chains, ${totals.entries} entries in order, ${totals.checkpoints} checkpoints; ` +
        `${totals.unsigned} entries are behind the last checkpoint of their chain`,
    );
    say(`${await this.verifier.countUnsealed(chain)} entries are not sealed yet`);
    say(totals.broken === 0 ? 'The audit log is whole' : `BROKEN: ${totals.broken} of ${totals.chains} chains`);
    if (totals.broken > 0) process.exitCode = 1;
  }

  @Option({ flags: '--tenant <tenant>', description: 'Only the chain of this tenant, by slug or id' })
  readTenant(tenant: string): string {
    return tenant;
  }

  /** A tenant given by id may have been deleted: its log remains. */
  private async chainOf(tenant: string): Promise<string> {
    if (isUuid(tenant)) return tenant.toLowerCase();
    const found = await this.tenants.findBySlug(tenant);
    if (!found) throw new Error(`There is no tenant ${tenant}`);
    return found.id;
  }
}

@SubCommand({
  name: 'checkpoints',
  description: 'Print the newest signed checkpoint of each chain as a JSON line, to be stored elsewhere',
})
export class AuditCheckpointsCommand extends CommandRunner {
  constructor(private readonly checkpoints: AuditCheckpointsRepository) {
    super();
  }

  async run(): Promise<void> {
    for (const { chain, seq, hash, jws } of await this.checkpoints.listNewest())
      say(JSON.stringify({ chain, seq, hash: hash.toString('hex'), jws }));
  }
}

@Command({ name: 'audit', description: 'The audit log', subCommands: [VerifyAuditCommand, AuditCheckpointsCommand] })
export class AuditCommand extends CommandRunner {
  run(): Promise<void> {
    this.command.help();
  }
}

function sentence({ chain, fault }: ChainReport): string {
  const whose = chain === NO_TENANT ? 'of no tenant' : `of tenant ${chain}`;
  const entry = fault!.entryId === null ? '' : ` (${fault!.entryId})`;
  return `Chain ${whose}, entry ${fault!.seq}${entry}: ${fault!.what}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
