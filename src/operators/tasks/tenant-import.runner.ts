import { Injectable } from '@nestjs/common';
import { Semaphore } from '../../common/concurrency/semaphore.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import { Refusal } from '../../common/refusal.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { SealedValueUnreadable } from '../../crypto/secret-box.js';
import { ResultAlreadyRecorded } from '../../operations/tasks/task.errors.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { TaskRunner } from '../../operations/tasks/task-runner.js';
import { TasksService } from '../../operations/tasks/tasks.service.js';
import { TenantImportService } from '../../transfer/import/tenant-import.service.js';
import type { ImportProgress } from '../../transfer/import/writing/import-progress.js';
import type { ImportedTenantView } from '../../transfer/import/writing/import.view.js';
import { LOST, TaskOperator } from './task-operator.js';

export const IMPORT_TASK = 'tenant_import';

export interface ImportTaskDetails {
  readonly name: string;
  readonly apps: number;
  readonly accounts: number;
}

export interface ImportTaskOutcome {
  readonly tenant_id: string;
  readonly created: number;
  readonly enrolled: number;
  readonly left_out: number;
  /** Absent if the document has none. */
  readonly passkeys?: { readonly created: number; readonly left_out: number };
}

/** Secret of a created app; stored encrypted until it is shown. */
export interface NewAppSecret {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
}

/** Each import holds a connection for minutes, of the ten that the process has for everything. */
const AT_ONCE = 2;

/**
 * Imports a tenant in one transaction, like the API. The same transaction records the end of the task, so the import
 * happens exactly once or not at all, even if two processes run it.
 */
@Injectable()
export class TenantImportRunner extends TaskRunner {
  override readonly kind = IMPORT_TASK;
  private readonly places = new Semaphore(AT_ONCE);

  constructor(
    private readonly tasks: TasksService,
    private readonly operator: TaskOperator,
    private readonly imports: TenantImportService,
  ) {
    super();
  }

  override async run(task: OperatorTask): Promise<'later' | 'ended'> {
    const leave = this.places.tryAcquire();
    if (!leave) return 'later';
    try {
      const problem = await this.import(task);
      if (problem !== null) await this.tasks.fail(task.id, problem);
      return 'ended';
    } finally {
      leave();
    }
  }

  /** @returns why it failed; null if it is done */
  private async import(task: OperatorTask): Promise<string | null> {
    const ctx = await this.operator.identify(task);
    if (!ctx) return LOST;
    try {
      const text = await this.tasks.openDocument(task.id);
      if (text !== null) await this.imports.importTenant(ctx, JSON.parse(text), this.watch(task));
      return null;
    } catch (error) {
      if (error instanceof ResultAlreadyRecorded) return null;
      return problemOf(error);
    }
  }

  private watch({ id }: OperatorTask): ImportProgress {
    return {
      // Uses a second connection. If there is none, the import goes on without showing its progress.
      progress: (done, total) => this.tasks.note(id, done, total).catch(() => undefined),
      inSameTransaction: (tx, imported) => this.tasks.finish(id, resultOf(imported), tx),
    };
  }
}

function resultOf({ id, users, apps }: ImportedTenantView) {
  const { created, enrolled, unchanged, passkeys } = users;
  const counts = { created, enrolled, left_out: unchanged.length, ...(passkeys ? { passkeys } : {}) };
  const outcome: ImportTaskOutcome = { tenant_id: id, ...counts };
  const secrets = apps.flatMap(({ id: appId, name, client_secret }): NewAppSecret[] =>
    client_secret === null ? [] : [{ id: appId, name, secret: client_secret }],
  );
  return { outcome: { ...outcome }, secrets: secrets.length > 0 ? JSON.stringify(secrets) : null };
}

/** The message for the user who started it. @throws the error itself if a retry may help */
function problemOf(error: unknown): string {
  if (error instanceof InsufficientPermissions) return LOST;
  if (error instanceof SealedValueUnreadable) return 'The document can no longer be opened. Import it again.';
  if (error instanceof InvalidInput)
    return error.faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('\n');
  if (error instanceof Refusal && error.kind !== 'unavailable') return `${error.message}.`;
  throw error;
}
