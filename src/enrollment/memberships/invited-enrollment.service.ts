import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import type { AuditAction } from '../../audit/entries/audit-action.js';
import type { RequestContext } from '../../common/request-context.js';
import { UsersService } from '../../users/users.service.js';
import { enrollmentSubject } from '../enrollments/enrollment-subject.js';
import { EnrollmentsRepository } from '../enrollments/enrollments.repository.js';
import { AdministratorNotices } from '../notices/administrator-notices.service.js';
import { givesAuthority } from '../authority/new-authority.rules.js';
import { isOffered } from '../authority/offered-roles.rules.js';

/** `joined`: was not active in the app. `widened`: had fewer roles. `unchanged`: already had all of them. */
export type InvitedVerdict = 'joined' | 'widened' | 'unchanged' | 'suspended';

export interface Invitation {
  readonly roles: readonly string[];
  /** Null if the creator has no user account. */
  readonly createdBy: string | null;
}

/**
 * Enrollment by invite: enrolls the user, approves a pending request or adds roles, but never ends a suspension. A
 * pending request has the roles that its approval would give, perhaps `admin`. An invite gives its own roles instead.
 */
@Injectable()
export class InvitedEnrollment {
  constructor(
    private readonly enrollments: EnrollmentsRepository,
    private readonly users: UsersService,
    private readonly notices: AdministratorNotices,
    private readonly audit: AuditService,
  ) {}

  /** Roles that the app no longer offers are left out. */
  async admit(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    app: App,
    invite: Invitation,
  ): Promise<InvitedVerdict> {
    const offered = invite.roles.filter((role) => isOffered(app, role));
    const roles = [...new Set(['user', ...offered])];
    if (await this.enrollments.insert(tx, { userId, appId: app.id, roles, status: 'active' })) {
      await this.record(tx, ctx, 'enrollment.created', userId, app, { roles, by: 'invite' });
      await this.tell(tx, userId, app, invite, null, roles);
      return 'joined';
    }
    const before = await this.enrollments.lock(tx, userId, app.id);
    // The enrollment was removed between the two statements: the invite enrolls the user again.
    if (!before) return this.admit(tx, ctx, userId, app, invite);
    if (before.status === 'suspended') return 'suspended';
    const isPending = before.status === 'pending';
    const after = isPending ? roles : [...new Set([...before.roles, ...roles])];
    if (!isPending && after.length === before.roles.length) return 'unchanged';
    await this.enrollments.activate(tx, userId, app.id, after);
    if (isPending) await this.record(tx, ctx, 'enrollment.approved', userId, app, { roles: after, by: 'invite' });
    else
      await this.record(tx, ctx, 'enrollment.roles_changed', userId, app, {
        before: before.roles,
        after,
        by: 'invite',
      });
    await this.tell(tx, userId, app, invite, isPending ? null : before.roles, after);
    return isPending ? 'joined' : 'widened';
  }

  private async tell(
    tx: EntityManager,
    userId: string,
    app: App,
    { createdBy }: Invitation,
    before: readonly string[] | null,
    after: readonly string[],
  ): Promise<void> {
    if (!givesAuthority(app, before, after)) return;
    const inviter = createdBy === null ? null : await this.users.find(createdBy, tx);
    await this.notices.send(tx, app, userId, inviter?.email ?? 'An invitation');
  }

  private record(
    tx: EntityManager,
    ctx: RequestContext,
    action: AuditAction,
    userId: string,
    app: App,
    metadata: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.audit.record(tx, ctx, action, enrollmentSubject(userId, app, metadata));
  }
}
