import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditAction } from '../../audit/entries/audit-action.js';
import { AuditService, type AuditSubject } from '../../audit/audit.service.js';
import { type RequestContext, systemContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { AppCaches } from '../directory/app-caches.js';
import type { App } from '../app/app.entity.js';
import type { Prediction } from '../comparisons/change-comparison.entity.js';
import { ChangeComparisons } from '../comparisons/change-comparisons.service.js';
import type { RemovedClient } from '../directory/unused-clients.repository.js';
import { type ChangedSides, sidesOfApp } from '../comparisons/changed-sides.rules.js';
import { ChangeLimits, type RequestedChange } from './change-limits.js';

/**
 * Runs a change of an app or a tenant: one transaction with its audit entry. After that, this process reads the app
 * again, and no process accepts the earlier secret, scopes or switch.
 */
@Injectable()
export class AppChanges {
  constructor(
    private readonly transactions: Transactions,
    private readonly caches: AppCaches,
    private readonly audit: AuditService,
    private readonly comparisons: ChangeComparisons,
    private readonly limits: ChangeLimits,
  ) {}

  /**
   * @param requested null: the service itself, or a change that was counted when it was scheduled
   * @throws RateLimited
   */
  async run<T>(requested: RequestedChange | null, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    if (requested) await this.limits.count(requested);
    const result = await this.transactions.run(work);
    await this.caches.untilReadAgain();
    return result;
  }

  /** As {@link run}, for work that writes an audit entry, but changes nothing that a process can have cached. */
  async runUncached<T>(requested: RequestedChange, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    await this.limits.count(requested);
    return this.transactions.run(work);
  }

  /** As {@link run}, for a new object, which no process can have cached. */
  async create<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const result = await this.transactions.run(work);
    await this.caches.catchUp();
    return result;
  }

  record(
    tx: EntityManager,
    ctx: RequestContext,
    action: AuditAction,
    app: App,
    metadata: Record<string, unknown> = {},
  ): Promise<void> {
    return this.audit.record(tx, ctx, action, subjectOf(app, metadata));
  }

  /**
   * Audit entries for memberships that end because a self-registered client was removed. The service is the actor, not
   * the caller who began a sign-in at another client, and whose address does not concern the members.
   * @param reason `client_removed`: to make room; `client_expired`: not used
   */
  async recordRemoved(
    tx: EntityManager,
    { id, tenantId, name, members }: RemovedClient,
    reason: 'client_removed' | 'client_expired',
  ): Promise<void> {
    const subjects = members.map(({ userId, roles, status }) => ({
      ...{ userId, tenantId, appId: id },
      target: { type: 'enrollment', id: `${userId}:${id}` },
      metadata: { roles, status, reason, app_name: name },
    }));
    await this.audit.recordAll(tx, systemContext('unused-clients'), 'enrollment.removed', subjects);
  }

  /**
   * As {@link record}, with the predicted effect of the change. @param prediction absent: the operator has not seen a
   * preview
   */
  recordChange(
    tx: EntityManager,
    ctx: RequestContext,
    action: AuditAction,
    { before, after, metadata = {} }: { before: App; after: App; metadata?: Record<string, unknown> },
    prediction: Prediction | undefined,
  ): Promise<void> {
    return this.recordPredicted(tx, ctx, action, subjectOf(after, metadata), sidesOfApp(before, after), prediction);
  }

  /** As {@link recordChange}, of an app or a tenant. */
  async recordPredicted(
    tx: EntityManager,
    ctx: RequestContext,
    action: AuditAction,
    subject: AuditSubject,
    sides: ChangedSides,
    prediction: Prediction | undefined,
  ): Promise<void> {
    const metadata = { ...subject.metadata, ...(prediction && { prediction }) };
    const id = await this.audit.recordNamed(tx, ctx, action, { ...subject, metadata });
    await this.comparisons.begin(tx, id, sides, prediction);
  }
}

function subjectOf({ id, tenantId }: App, metadata: Record<string, unknown>): AuditSubject {
  return { tenantId, appId: id, target: { type: 'app', id }, metadata };
}
