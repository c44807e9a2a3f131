import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Command, CommandRunner, Option, SubCommand } from 'nest-commander';
import { systemContext } from '../common/request-context.js';
import { InputPipe } from '../common/validation/input.pipe.js';
import { InvalidInput } from '../common/validation/invalid-input.js';
import { isUuid } from '../common/validation/fields.js';
import { ExportService } from './export/export.service.js';
import { AppImportService } from './import/app-import.service.js';
import { ImportPlansService } from './import/plan/import-plans.service.js';
import { TenantImportService } from './import/tenant-import.service.js';

const CONTEXT = systemContext('cli');
const KINDS = ['app', 'tenant'];

@SubCommand({ name: 'export', arguments: '<app|tenant> <id>', description: 'Write a document to standard output' })
export class TransferExportCommand extends CommandRunner {
  constructor(private readonly exports: ExportService) {
    super();
  }

  async run([kind, id]: string[], options: { includeUsers?: boolean; includeCredentials?: boolean }): Promise<void> {
    checkKind(kind);
    if (!isUuid(id)) throw new Error(`${id} is no id`);
    const wanted = {
      includeUsers: options.includeUsers ?? false,
      includeCredentials: options.includeCredentials ?? false,
    };
    const { chunks } = await this.exports[kind](CONTEXT, id.toLowerCase(), wanted);
    for await (const chunk of chunks) if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
  }

  @Option({ flags: '--include-users', description: 'Include users with their roles and status' })
  readUsers(): boolean {
    return true;
  }

  @Option({ flags: '--include-credentials', description: 'Also include password hashes. Keep the file secret' })
  readCredentials(): boolean {
    return true;
  }
}

@SubCommand({
  name: 'import',
  arguments: '<app|tenant> <file>',
  description: 'Import a document; prints the new ids and client secrets, once',
})
export class TransferImportCommand extends CommandRunner {
  constructor(
    private readonly plans: ImportPlansService,
    private readonly apps: AppImportService,
    private readonly tenants: TenantImportService,
  ) {
    super();
  }

  async run(
    [kind, file]: string[],
    options: { dryRun?: boolean; tenant?: string; preserveBundleId?: boolean },
  ): Promise<void> {
    checkKind(kind);
    const body = bodyOf(await readFile(file!, 'utf8'), options);
    try {
      const answer = await this.work(kind, body, options.dryRun ?? false);
      process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      for (const { loc, msg } of error.faults) process.stderr.write(`${loc.slice(1).join('.')}: ${msg}\n`);
      process.exitCode = 1;
    }
  }

  private work(kind: 'app' | 'tenant', body: unknown, isDryRun: boolean): Promise<object> {
    new InputPipe().transform(body, { type: 'body', metatype: Object });
    if (kind === 'app') return isDryRun ? this.plans.planApp(CONTEXT, body) : this.apps.importApp(CONTEXT, body);
    return isDryRun ? this.plans.planTenant(CONTEXT, body) : this.tenants.importTenant(CONTEXT, body);
  }

  @Option({ flags: '--dry-run', description: 'Only report what would be done' })
  readDryRun(): boolean {
    return true;
  }

  @Option({ flags: '--tenant <id>', description: 'Tenant of an imported app, if the file has no tenant_id' })
  readTenant(id: string): string {
    return id;
  }

  @Option({ flags: '--preserve-bundle-id', description: 'Keep the bundle_id of an imported app' })
  readPreserve(): boolean {
    return true;
  }
}

@Command({
  name: 'transfer',
  description: 'Export and import of apps and tenants',
  subCommands: [TransferExportCommand, TransferImportCommand],
})
export class TransferCommand extends CommandRunner {
  run(): Promise<void> {
    this.command.help();
  }
}

function checkKind(kind: string | undefined): asserts kind is 'app' | 'tenant' {
  if (!KINDS.includes(kind ?? '')) throw new Error(`Say app or tenant, not ${kind}`);
}

function bodyOf(text: string, options: { tenant?: string; preserveBundleId?: boolean }): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Error('The file is no JSON, or was cut off');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return {
    ...body,
    ...(options.tenant ? { tenant_id: options.tenant } : {}),
    ...(options.preserveBundleId ? { preserve_bundle_id: true } : {}),
  };
}
