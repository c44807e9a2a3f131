import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../../audit/audit.service.js';
import { type Actor, administeredScope, type Scope } from '../../../common/actor.js';
import { Randomness } from '../../../common/randomness.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import type { Proof } from '../../../users/proof.js';
import { ChangePlanning } from './change-planning.service.js';
import type { ChangeSubject } from './change-targets.js';
import { namedBy } from './schedulable.rules.js';
import type { PlanningCredential, ScheduledChange, ScheduledState } from './scheduled-change.entity.js';
import {
  NotWhileImpersonating,
  ScheduledChangeIsSettled,
  ScheduledChangeNotFound,
  TooManyScheduledChanges,
} from './scheduled-changes.errors.js';
import { ScheduledChangesRepository } from './scheduled-changes.repository.js';

/** A change, and when. */
export interface Plan {
  readonly subject: ChangeSubject;
  readonly effectiveAt: Date;
  /** The planner has confirmed that the change locks them out. */
  readonly mayLockOut: boolean;
}

/** The planner and their credentials. */
export interface Planner {
  readonly ctx: RequestContext;
  readonly credential: PlanningCredential;
  /** Authentication methods of their sign-in (RFC 8176). */
  readonly amr: readonly string[];
  /** The proof of identity that admitted the request; null for an app. */
  readonly proof: Proof | null;
}

/** Plans, lists and cancels changes that take effect later. */
@Injectable()
export class ScheduledChanges {
  constructor(
    private readonly changes: ScheduledChangesRepository,
    private readonly planning: ChangePlanning,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly randomness: Randomness,
  ) {}

  /**
   * Refused while impersonating: the change would be made after the end of the impersonation, with the operator's own
   * rights.
   * @throws as {@link ChangePlanning.check}, NotWhileImpersonating, TooManyScheduledChanges, ProofOutdated
   */
  async plan(planner: Planner, { subject, effectiveAt, mayLockOut }: Plan): Promise<ScheduledChange> {
    const { ctx } = planner;
    if (ctx.actingAs) throw new NotWhileImpersonating();
    const { target, ...known } = await this.planning.check(ctx, subject, effectiveAt, mayLockOut);
    const { tenantId, appId, isOfTenant, settings } = target;
    const id = this.randomness.uuid();
    const row = { id, tenantId, appId, change: bodyOf(subject), effectiveAt, settingsThen: settings };
    await this.transactions.run(async (tx) => {
      if (!(await this.changes.insert(tx, { ...row, ...known, ...plannedBy(planner) }, isOfTenant, planner.proof)))
        throw new TooManyScheduledChanges();
      const { predictionThen: prediction } = known;
      const metadata = { fields: Object.keys(namedBy(subject)), effective_at: effectiveAt.toISOString(), prediction };
      await this.record(tx, ctx, 'scheduled_change.created', { ...target, id }, metadata);
    });
    return (await this.changes.find(id))!;
  }

  /** For a form with all settings: plans those that differ. @throws as {@link plan} */
  async planChanged(planner: Planner, plan: Plan): Promise<ScheduledChange> {
    return this.plan(planner, { ...plan, subject: await this.planning.changedOf(planner.ctx, plan.subject) });
  }

  /** Changes of apps and tenants that the caller administers. @param page from 1 */
  list(
    { actor }: RequestContext,
    filter: { tenantId?: string; appId?: string; state?: ScheduledState },
    page: number,
    limit: number,
  ): Promise<[ScheduledChange[], number]> {
    const scope = scopeOf(actor);
    return this.changes.list({ ...filter, scope, ofAppsOnly: actor.type === 'service' }, page, limit);
  }

  /** @throws ScheduledChangeNotFound, also for a change that the caller may not see */
  async get(ctx: RequestContext, id: string): Promise<ScheduledChange> {
    const found = await this.changes.find(id);
    const isHidden = ctx.actor.type === 'service' && found?.appId === null;
    if (!found || isHidden || !isWithin(scopeOf(ctx.actor), found)) throw new ScheduledChangeNotFound();
    return found;
  }

  /** Every operator who could make the change may cancel it. @throws ScheduledChangeNotFound, InsufficientPermissions, ScheduledChangeIsSettled */
  async cancel(ctx: RequestContext, id: string): Promise<void> {
    const change = await this.get(ctx, id);
    await this.planning.checkAuthority(ctx, change);
    await this.transactions.run(async (tx) => {
      if (!(await this.changes.settle(tx, id, { state: 'cancelled', result: null })))
        throw new ScheduledChangeIsSettled();
      await this.record(tx, ctx, 'scheduled_change.cancelled', change, { fields: fieldsOf(change) });
    });
  }

  private record(
    tx: EntityManager,
    ctx: RequestContext,
    action: 'scheduled_change.created' | 'scheduled_change.cancelled',
    { id, tenantId, appId }: Pick<ScheduledChange, 'id' | 'tenantId' | 'appId'>,
    metadata: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.audit.record(tx, ctx, action, {
      tenantId,
      appId,
      target: { type: 'scheduled_change', id },
      metadata,
    });
  }
}

/** Names of the settings, as in {@link namedBy}. */
export function fieldsOf({ settingsThen }: Pick<ScheduledChange, 'settingsThen'>): string[] {
  return Object.keys(settingsThen);
}

function plannedBy({ ctx: { actor }, credential, amr }: Planner) {
  return {
    credential,
    plannedBy: actor.type === 'user' ? actor.userId : null,
    plannedByApp: actor.type === 'service' ? actor.appId : null,
    audience: actor.type === 'user' ? actor.audience : null,
    tokenIssuedAt: (actor.type === 'service' && actor.issuedAt) || null,
    amr: [...amr],
  };
}

/** Without undefined fields. */
function bodyOf({ input }: ChangeSubject): Record<string, unknown> {
  return JSON.parse(JSON.stringify(input)) as Record<string, unknown>;
}

/** A service token sees the changes of its tenant's apps. */
function scopeOf(actor: Actor): Scope {
  if (actor.type === 'service') return { everything: false, tenantIds: [actor.tenantId], appIds: [] };
  return administeredScope(actor);
}

function isWithin({ everything, tenantIds, appIds }: Scope, { tenantId, appId }: ScheduledChange): boolean {
  return everything || tenantIds.includes(tenantId) || (appId !== null && appIds.includes(appId));
}
