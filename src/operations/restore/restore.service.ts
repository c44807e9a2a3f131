import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { Clock } from '../../common/clock.js';
import { Refusal } from '../../common/refusal.js';
import type { RequestContext } from '../../common/request-context.js';
import { allowLongStatements } from '../../database/connection/long-statements.js';
import { Transactions } from '../../database/transactions.js';
import type { SecretTime } from './restore-checklist.js';
import { ENDED_TABLES } from './restored-tables.js';

export interface EndedRows {
  readonly table: string;
  readonly what: string;
  readonly count: number;
}

const SECRETS = `
  SELECT a.name AS app, t.name AS tenant, coalesce((
    SELECT max(e.created_at) FROM audit_entries e
    WHERE e.app_id = a.id AND e.action = 'app.secret_regenerated'), a.created_at) AS "changedAt"
  FROM apps a JOIN tenants t ON t.id = a.tenant_id
  WHERE NOT a.is_console_app ORDER BY t.name, a.name`;

/** Reads and changes whole tables, which may take minutes, while the service is stopped. */
const NO_LIMIT = 0;

/** Rolls the transaction back, and returns what would have been done. */
class OnlyLooked extends Error {
  constructor(readonly ended: readonly EndedRows[]) {
    super('Nothing was changed');
  }
}

export class TimeInFuture extends Refusal {
  constructor() {
    super('bad_request', 'The time is in the future');
  }
}

/** Invalidates everything that a restored backup makes valid again: everything issued before a given time. */
@Injectable()
export class RestoreService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs in one transaction. A second run with the same time finds nothing.
   * @param isDryRun true: reports what would be ended, and changes nothing
   * @throws TimeInFuture
   */
  async revokeBefore(ctx: RequestContext, time: Date, isDryRun: boolean): Promise<readonly EndedRows[]> {
    if (time > this.clock.now()) throw new TimeInFuture();
    try {
      return await this.transactions.run(async (tx) => {
        const ended = await this.endAll(tx, time);
        if (isDryRun) throw new OnlyLooked(ended);
        await this.record(tx, ctx, time, ended);
        return ended;
      });
    } catch (error) {
      if (error instanceof OnlyLooked) return error.ended;
      throw error;
    }
  }

  /** Client secrets with their age according to the audit log. */
  listSecrets(): Promise<SecretTime[]> {
    return this.transactions.run(async (tx) => {
      await allowLongStatements(tx.queryRunner!, NO_LIMIT);
      return tx.query<SecretTime[]>(SECRETS);
    });
  }

  private async endAll(tx: EntityManager, time: Date): Promise<EndedRows[]> {
    await allowLongStatements(tx.queryRunner!, NO_LIMIT);
    const ended: EndedRows[] = [];
    for (const [table, { what, end }] of Object.entries(ENDED_TABLES)) {
      const [, count] = (await tx.query(end, [time])) as [unknown, number];
      ended.push({ table, what, count });
    }
    return ended;
  }

  private async record(tx: EntityManager, ctx: RequestContext, time: Date, ended: readonly EndedRows[]): Promise<void> {
    if (ended.every(({ count }) => count === 0)) return;
    const counts = Object.fromEntries(ended.map(({ table, count }) => [table, count]));
    await this.audit.record(tx, ctx, 'backup.revoked', { metadata: { before: time.toISOString(), ...counts } });
  }
}
