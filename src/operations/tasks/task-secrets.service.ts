import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { Transactions } from '../../database/transactions.js';
import type { OperatorTask } from './operator-task.entity.js';
import { TasksRepository } from './tasks.repository.js';
import { secretsOf } from './tasks.service.js';

/** Client secrets that an import has created: shown once, within a day. */
@Injectable()
export class TaskSecrets {
  constructor(
    private readonly tasks: TasksRepository,
    private readonly transactions: Transactions,
    private readonly box: SecretBox,
    private readonly audit: AuditService,
  ) {}

  exist(taskId: string): Promise<boolean> {
    return this.tasks.hasSecrets(taskId);
  }

  /**
   * Deletes them, so that they cannot be shown again. The audit log records who has seen them. @returns JSON, or null
   */
  async take(ctx: RequestContext, { id, kind, tenantId, appId }: OperatorTask): Promise<string | null> {
    return this.transactions.run(async (tx) => {
      const sealed = await this.tasks.takeSecrets(tx, id);
      if (sealed === null) return null;
      const target = { type: 'task', id };
      await this.audit.record(tx, ctx, 'task.secrets_revealed', { tenantId, appId, target, metadata: { kind } });
      return this.box.open(sealed, secretsOf(id));
    });
  }
}
