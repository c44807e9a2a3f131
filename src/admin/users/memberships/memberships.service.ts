import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../../common/request-context.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import { MembershipChanges } from '../../../enrollment/memberships/membership-changes.service.js';
import { EntryCache } from '../../../enrollment/memberships/entry-cache.js';
import { MEMBERSHIP_ACTIONS, type MembershipActionName } from '../../../enrollment/enrollments/membership-actions.js';
import { MembershipEffects } from './membership-effects.service.js';
import { MemberAccess } from './member-access.service.js';

export interface MembershipChange {
  /** Whether the user's e-mail address is verified. */
  readonly emailVerified: boolean;
  /** False: the user gets no e-mail, because a limit was reached. Null: the action sends none. */
  readonly emailSent: boolean | null;
}

/** Runs in the transaction of an action, so that both are committed or neither is. */
export interface TransactionHooks {
  readonly before?: (tx: EntityManager) => Promise<void>;
  readonly after?: (tx: EntityManager, change: MembershipChange) => Promise<void>;
  /** The number of tasks has its own limit, and a task for all members must not end with the first ones. */
  readonly isTask?: boolean;
}

/** All actions on a membership, from the admin API, the console and the tasks, run through this service. */
@Injectable()
export class MembershipsService {
  constructor(
    private readonly access: MemberAccess,
    private readonly enrollment: EnrollmentService,
    private readonly effects: MembershipEffects,
    private readonly entries: EntryCache,
    private readonly changes: MembershipChanges,
  ) {}

  /** @throws CannotRemoveYourself, EnrollmentNotFound, ForbiddenTransition, RateLimited */
  async run(
    name: MembershipActionName,
    ctx: RequestContext,
    userId: string,
    appId: string,
    { before, after, isTask = false }: TransactionHooks = {},
  ): Promise<MembershipChange> {
    const action = MEMBERSHIP_ACTIONS[name];
    const mail = await this.effects.prepare(action, ctx, userId, appId);
    const done = await this.changes.run(isTask ? null : { ctx, appId }, async (tx) => {
      await before?.(tx);
      const member = await this.access.memberToChange(tx, ctx, userId, appId);
      await this.enrollment.act(tx, ctx, action, userId, member.app);
      const emailSent = await this.effects.apply(tx, ctx, action, member, mail);
      const change = { emailVerified: member.user.emailVerified, emailSent };
      await after?.(tx, change);
      return change;
    });
    // The next request of this process must not use a cached enrollment.
    this.entries.forget(userId);
    return done;
  }
}
