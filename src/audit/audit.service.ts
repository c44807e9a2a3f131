import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../common/actor.js';
import { writeCursor } from '../common/lists/page-cursor.js';
import { Randomness } from '../common/randomness.js';
import type { RequestContext } from '../common/request-context.js';
import { Transactions } from '../database/transactions.js';
import type { AuditAction, AuditOutcome } from './entries/audit-action.js';
import type { AuditEntry } from './entries/audit-entry.entity.js';
import { boundedMetadata } from './entries/bounded-metadata.rules.js';
import type { AuditFilter } from './audit-list.query.js';
import { AuditRepository, type NewAuditEntry } from './audit.repository.js';
import { LoginFailures } from './login-failures.js';

/** What an entry is about. Never contains a secret, a token or a password. */
export interface AuditSubject {
  readonly userId?: string | null;
  readonly tenantId?: string | null;
  readonly appId?: string | null;
  readonly target?: { readonly type: string; readonly id: string };
  readonly outcome?: AuditOutcome;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Cursor of the next page. */
  readonly next: string | null;
}

const BATCH = 500;

@Injectable()
export class AuditService {
  constructor(
    private readonly entries: AuditRepository,
    private readonly transactions: Transactions,
    private readonly randomness: Randomness,
    private readonly loginFailures: LoginFailures,
  ) {}

  /** Writes the entry in the transaction of the change, so that both are committed or neither is. */
  async record(tx: EntityManager, ctx: RequestContext, action: AuditAction, subject: AuditSubject = {}): Promise<void> {
    await this.recordNamed(tx, ctx, action, subject);
  }

  /** As {@link record}. @returns the id of the entry */
  async recordNamed(
    tx: EntityManager,
    ctx: RequestContext,
    action: AuditAction,
    subject: AuditSubject,
  ): Promise<string> {
    const id = this.randomness.uuid();
    await this.entries.insert(tx, { id, ...auditRow(ctx, action, subject) });
    if (action === 'user.login_failed') this.loginFailures.count(subject.tenantId ?? null, signInsOf(subject));
    return id;
  }

  /** As {@link record}, for many subjects of one action (such as an import), in batches. */
  async recordAll(
    tx: EntityManager,
    ctx: RequestContext,
    action: AuditAction,
    subjects: readonly AuditSubject[],
  ): Promise<void> {
    for (let start = 0; start < subjects.length; start += BATCH) {
      const batch = subjects.slice(start, start + BATCH);
      const rows = batch.map((subject) => ({ id: this.randomness.uuid(), ...auditRow(ctx, action, subject) }));
      await this.entries.insertAll(tx, rows);
    }
  }

  /** For events that change nothing, such as a failed sign-in or a refusal: writes the entry in its own transaction. */
  async recordAlone(ctx: RequestContext, action: AuditAction, subject: AuditSubject): Promise<void> {
    await this.transactions.run((tx) => this.record(tx, ctx, action, subject));
  }

  /**
   * Newest first, limited to `filter.scope`. A page with large entries has fewer than `filter.limit`.
   * @returns `next`: the cursor of the next page, if there is one
   */
  async list(filter: AuditFilter): Promise<AuditPage> {
    const { entries, hasMore } = await this.entries.list(filter);
    return { entries, next: hasMore ? writeCursor(entries.at(-1)!) : null };
  }
}

export type AuditRow = Omit<NewAuditEntry, 'id'>;

/** The columns of an entry, for statements that write it together with another row. */
export function auditRow(ctx: RequestContext, action: AuditAction, subject: AuditSubject): AuditRow {
  return {
    action,
    outcome: subject.outcome ?? 'success',
    ...actorColumns(ctx.actor),
    actingAs: ctx.actingAs ? { ...ctx.actingAs } : null,
    userId: subject.userId ?? null,
    tenantId: subject.tenantId ?? null,
    appId: subject.appId ?? null,
    targetType: subject.target?.type ?? null,
    targetId: subject.target?.id ?? null,
    ipAddress: ctx.ip,
    userAgent: ctx.userAgent,
    requestId: ctx.requestId,
    metadata: boundedMetadata({ ...subject.metadata }),
  };
}

function actorColumns(actor: Actor): Pick<AuditEntry, 'actorType' | 'actorId' | 'actorEmail'> {
  switch (actor.type) {
    case 'user':
      return { actorType: 'user', actorId: actor.userId, actorEmail: actor.email };
    case 'service':
      return { actorType: 'service', actorId: actor.appId, actorEmail: null };
    case 'system':
      return { actorType: 'system', actorId: actor.name, actorEmail: null };
    case 'anonymous':
      return { actorType: 'anonymous', actorId: null, actorEmail: null };
  }
}

/** An entry about many refused sign-ins has their number in `count`. */
function signInsOf({ metadata }: AuditSubject): number {
  return typeof metadata?.['count'] === 'number' ? metadata['count'] : 1;
}
