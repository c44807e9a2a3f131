import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditAction } from '../audit/entries/audit-action.js';
import { AuditService } from '../audit/audit.service.js';
import type { RequestContext } from '../common/request-context.js';
import { Transactions } from '../database/transactions.js';
import { AppDirectory } from './app-directory.js';
import type { App } from './app.entity.js';

/** A change of an app: one transaction with its audit entry, after which this process reads the app afresh. */
@Injectable()
export class AppChanges {
  constructor(
    private readonly transactions: Transactions,
    private readonly directory: AppDirectory,
    private readonly audit: AuditService,
  ) {}

  async run<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const result = await this.transactions.run(work);
    this.directory.forget();
    return result;
  }

  record(
    tx: EntityManager,
    ctx: RequestContext,
    action: AuditAction,
    app: App,
    metadata: Record<string, unknown> = {},
  ): Promise<void> {
    return this.audit.record(tx, ctx, action, {
      tenantId: app.tenantId,
      appId: app.id,
      target: { type: 'app', id: app.id },
      metadata,
    });
  }
}
