import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../apps/app.entity.js';
import { AuditService } from '../audit/audit.service.js';
import type { AuditAction } from '../audit/audit-action.js';
import type { RequestContext } from '../common/request-context.js';
import { EnrollmentsRepository } from './enrollments.repository.js';

/** `joined`: was not active in the app until now. `widened`: was, and may hold more roles now. */
export type InvitedVerdict = 'joined' | 'widened' | 'suspended';

/** Enrollment by invite: it brings in, lifts out of waiting and adds roles, but never lifts a suspension. */
@Injectable()
export class InvitedEnrollment {
  constructor(
    private readonly enrollments: EnrollmentsRepository,
    private readonly audit: AuditService,
  ) {}

  /** Roles that the app has ceased to offer since the invite was made are left out. */
  async admit(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    app: App,
    invited: readonly string[],
  ): Promise<InvitedVerdict> {
    const offered = invited.filter((role) => app.config.available_roles.includes(role));
    const roles = [...new Set(['user', ...offered])];
    if (await this.enrollments.insert(tx, { userId, appId: app.id, roles, status: 'active' })) {
      await this.record(tx, ctx, 'enrollment.created', userId, app, { roles, by: 'invite' });
      return 'joined';
    }
    const before = await this.enrollments.lock(tx, userId, app.id);
    // Removed between the two statements: the invite brings them in after all.
    if (!before) return this.admit(tx, ctx, userId, app, invited);
    if (before.status === 'suspended') return 'suspended';
    const after = [...new Set([...before.roles, ...roles])];
    await this.enrollments.activate(tx, userId, app.id, after);
    if (before.status === 'pending')
      await this.record(tx, ctx, 'enrollment.approved', userId, app, { roles: after, by: 'invite' });
    else if (after.length > before.roles.length)
      await this.record(tx, ctx, 'enrollment.roles_changed', userId, app, {
        before: before.roles,
        after,
        by: 'invite',
      });
    return before.status === 'pending' ? 'joined' : 'widened';
  }

  private record(
    tx: EntityManager,
    ctx: RequestContext,
    action: AuditAction,
    userId: string,
    app: App,
    metadata: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.audit.record(tx, ctx, action, {
      userId,
      tenantId: app.tenantId,
      appId: app.id,
      target: { type: 'enrollment', id: `${userId}:${app.id}` },
      metadata,
    });
  }
}
