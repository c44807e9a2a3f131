import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { isSelfRegistered } from '../../apps/app/app-origin.rules.js';
import type { App } from '../../apps/app/app.entity.js';
import { AppRegisteredItself } from '../../apps/app/apps.errors.js';
import { AuditService } from '../../audit/audit.service.js';
import type { AuditAction } from '../../audit/entries/audit-action.js';
import type { Scope } from '../../common/actor.js';
import type { RequestContext } from '../../common/request-context.js';
import type { User } from '../../users/user.entity.js';
import { type Admission, type AdmissionFacts, judgeAdmission } from '../admission/admission.rules.js';
import { AuthorityRepository, type UserAuthority, type TenantPolicy } from '../authority/authority.repository.js';
import { EntriesRepository } from '../admission/entries.repository.js';
import type { Enrollment, EnrollmentStatus } from '../enrollments/enrollment.entity.js';
import { enrollmentSubject } from '../enrollments/enrollment-subject.js';
import { CannotRemoveYourself, EnrollmentNotFound, ForbiddenTransition } from '../enrollments/enrollment.errors.js';
import {
  type EnrollmentScope,
  EnrollmentsRepository,
  type EnrollmentWithApp,
} from '../enrollments/enrollments.repository.js';
import { isApproval, type MembershipAction } from '../enrollments/membership-actions.js';
import { EnrollmentNotices } from './enrollment-notices.service.js';
import {
  areAutomatic,
  giverOf,
  givesAuthority,
  needsConfirmation,
  requireConfirmation,
  requireConfirmedApproval,
} from '../authority/new-authority.rules.js';
import { checkedRoles } from '../authority/offered-roles.rules.js';
import { checkNotOwnWhileActing, isThemselves } from './own-enrollment.rules.js';

export interface Admitted {
  readonly admission: Admission;
  /** Roles for the access token; empty if not enrolled. */
  readonly roles: readonly string[];
}

export interface NewEnrollment {
  readonly userId: string;
  readonly app: App;
  readonly roles: readonly string[];
  readonly status: EnrollmentStatus;
  /** Message of a pending request. */
  readonly requestMessage?: string | null;
  /** Additional metadata for the audit log. */
  readonly metadata?: object;
  /** The user joins on their own: not by an administrator, an import or an invite. */
  readonly joinsThemselves?: boolean;
}

/** Enrollments: the users of each app, with their roles and state. */
@Injectable()
export class EnrollmentService {
  constructor(
    private readonly enrollments: EnrollmentsRepository,
    private readonly entries: EntriesRepository,
    private readonly authorities: AuthorityRepository,
    private readonly notices: EnrollmentNotices,
    private readonly audit: AuditService,
  ) {}

  findUserAuthority(userId: string, tx?: EntityManager): Promise<UserAuthority | null> {
    return this.authorities.findUserAuthority(userId, tx);
  }

  /** By user id. */
  listUserAuthorities(userIds: readonly string[], tx?: EntityManager): Promise<Map<string, UserAuthority>> {
    return this.authorities.listUserAuthorities(userIds, tx);
  }

  /** Prevents changes until the transaction ends: a change that removes authority from the user waits. */
  holdUserAuthority(tx: EntityManager, userId: string): Promise<UserAuthority | null> {
    return this.authorities.holdUserAuthority(tx, userId);
  }

  /** As {@link EnrollmentsRepository.lockAdmins}. */
  lockAdmins(tx: EntityManager, appId: string): Promise<string[]> {
    return this.enrollments.lockAdmins(tx, appId);
  }

  /** Policies of the tenants over which the user has authority. */
  listPolicies(userId: string, tx?: EntityManager): Promise<TenantPolicy[]> {
    return this.authorities.listPolicies(userId, tx);
  }

  find(userId: string, appId: string, tx?: EntityManager): Promise<Enrollment | null> {
    return this.enrollments.find(userId, appId, tx);
  }

  /** The decision of sign-in, made again wherever a token is about to be issued. */
  async admit(user: Pick<User, 'id' | 'isActive'>, client: RegisteredClient, tx?: EntityManager): Promise<Admitted> {
    const { facts, roles } = await this.readAdmission(user, client, tx);
    return { admission: judgeAdmission(facts), roles };
  }

  /** As {@link admit}, and prevents changes until the transaction ends: a suspension or removal waits. */
  async admitHeld(tx: EntityManager, user: Pick<User, 'id' | 'isActive'>, client: RegisteredClient): Promise<Admitted> {
    await this.entries.hold(tx, user.id, client.app.id);
    return this.admit(user, client, tx);
  }

  /**
   * The facts for {@link admit}. `client` may come from a cache, so whether the app and its tenant are switched on is
   * read again: switching them off takes effect at once.
   */
  async readAdmission(
    user: Pick<User, 'id' | 'isActive'>,
    { app, tenant }: RegisteredClient,
    tx?: EntityManager,
  ): Promise<{ facts: AdmissionFacts; roles: readonly string[] }> {
    const { enrollment, appIsOn, tenantIsOn, emailMissing, isOutsider } = await this.entries.find(user.id, app.id, tx);
    const holder = app.isConsoleApp ? await this.authorities.findUserAuthority(user.id, tx) : null;
    const facts = {
      userIsActive: user.isActive,
      appIsOn,
      tenantIsOn,
      enrollment,
      emailMissing,
      isOutsider,
      console: holder && { isPlatform: tenant.isPlatform, tenantId: tenant.id, authority: holder.authority },
    };
    return { facts, roles: enrollment?.roles ?? ['user'] };
  }

  /**
   * Enrolls with these roles (and always `user`). Does not change an existing enrollment.
   * @throws InsufficientPermissions, ReauthenticationRequired where authority is given, see {@link requireConfirmation};
   * AppRegisteredItself: only users themselves join such an app
   */
  async enroll(tx: EntityManager, ctx: RequestContext, enrolled: NewEnrollment): Promise<boolean> {
    const { userId, app, status, requestMessage = null } = enrolled;
    checkNotOwnWhileActing(ctx, userId);
    if (!enrolled.joinsThemselves && isSelfRegistered(app)) throw new AppRegisteredItself();
    const roles = checkedRoles(app, enrolled.roles);
    const isGiven = !enrolled.joinsThemselves || !areAutomatic(app, roles);
    if (isGiven && needsConfirmation(app, null, roles)) requireConfirmation(ctx);
    const created = await this.enrollments.insert(tx, { userId, appId: app.id, roles, status, requestMessage });
    if (created) {
      const action = status === 'pending' ? 'enrollment.pending' : 'enrollment.created';
      await this.record(tx, ctx, action, userId, app, { roles, ...enrolled.metadata });
      if (status === 'active' && isGiven) await this.tell(tx, ctx, userId, app, null, roles);
      if (status === 'pending') await this.notices.request(tx, app, userId, requestMessage);
    }
    return created;
  }

  /**
   * Replaces the roles, and enrolls the user if they are not enrolled. The same roles again write no audit entry, which
   * could not be deleted.
   * @throws InvalidInput for a role that the app does not offer, CannotRemoveYourself, and as {@link enroll}
   */
  async setRoles(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    app: App,
    roles: readonly string[],
  ): Promise<string[]> {
    checkNotOwnWhileActing(ctx, userId);
    const wanted = checkedRoles(app, roles);
    const before = await this.enrollments.setRoles(tx, userId, app.id, wanted);
    if (before === null) await this.enroll(tx, ctx, { userId, app, roles: wanted, status: 'active' });
    else if (isThemselves(ctx, userId) && before.includes('admin') && !wanted.includes('admin'))
      // An app admin who removes their own role would be locked out.
      throw new CannotRemoveYourself();
    else if (before.length !== wanted.length || wanted.some((role) => !before.includes(role))) {
      if (needsConfirmation(app, before, wanted)) requireConfirmation(ctx);
      await this.record(tx, ctx, 'enrollment.roles_changed', userId, app, { before, after: wanted });
      await this.tell(tx, ctx, userId, app, before, wanted);
    }
    return wanted;
  }

  /**
   * For callers that ask something before they set the roles. @throws InsufficientPermissions, ReauthenticationRequired,
   * see {@link requireConfirmation}
   */
  async checkConfirmed(ctx: RequestContext, userId: string, app: App, roles: readonly string[]): Promise<void> {
    const before = await this.enrollments.find(userId, app.id);
    if (needsConfirmation(app, before?.roles ?? null, roles)) requireConfirmation(ctx);
  }

  /** For callers that do something before {@link act}. @throws InsufficientPermissions, ReauthenticationRequired */
  async checkApproval(ctx: RequestContext, action: MembershipAction, userId: string, app: App): Promise<void> {
    if (!isApproval(action)) return;
    const found = await this.enrollments.find(userId, app.id);
    if (found?.status === 'pending') requireConfirmedApproval(ctx, app, found.roles);
  }

  /**
   * Changes or deletes a membership. The caller must revoke the refresh tokens. A membership with authority that becomes
   * active causes the same mails as a new one.
   * @throws CannotRemoveYourself, NotWhileActingAs, EnrollmentNotFound, ForbiddenTransition, ReauthenticationRequired for
   * the approval of a request whose roles give authority
   */
  async act(tx: EntityManager, ctx: RequestContext, action: MembershipAction, userId: string, app: App): Promise<void> {
    const { from, to, toOneself, audit } = action;
    if (toOneself === 'never' && isThemselves(ctx, userId)) throw new CannotRemoveYourself();
    if (toOneself === 'not_while_impersonating') checkNotOwnWhileActing(ctx, userId);
    const done = to
      ? from && (await this.enrollments.move(tx, userId, app.id, from, to))
      : await this.enrollments.remove(tx, userId, app.id, from);
    if (!done) throw await this.refusal(tx, userId, app.id, from);
    if (isApproval(action)) requireConfirmedApproval(ctx, app, done.roles);
    // If the action applies to any state, the audit entry contains the previous one.
    await this.record(tx, ctx, audit, userId, app, from === null ? { ...done } : {});
    if (to === 'active') await this.tell(tx, ctx, userId, app, null, done.roles);
  }

  touchLogin(tx: EntityManager, userId: string, appId: string): Promise<void> {
    return this.enrollments.touchLogin(tx, userId, appId);
  }

  /**
   * Locks the membership until the transaction ends. For changes of data that belongs to it: the membership is always
   * locked first.
   */
  async lock(tx: EntityManager, userId: string, appId: string): Promise<void> {
    await this.enrollments.lock(tx, userId, appId);
  }

  /** Ends the validity of all tokens that were issued to the app for the user. */
  endTokens(tx: EntityManager, userId: string, appId: string): Promise<void> {
    return this.enrollments.endTokens(tx, userId, appId);
  }

  /** As {@link endTokens}, for all users of these apps. */
  endAllTokens(tx: EntityManager, appIds: readonly string[]): Promise<void> {
    return this.enrollments.endAllTokens(tx, appIds);
  }

  listOfUser(userId: string, scope: Scope, tx?: EntityManager): Promise<EnrollmentWithApp[]> {
    return this.enrollments.listOfUser(userId, scope, tx);
  }

  /** See {@link EnrollmentsRepository.wasEndedSince}. */
  wasEndedSince(userId: string, since: Date, at: EnrollmentScope, tx?: EntityManager): Promise<boolean> {
    return this.enrollments.wasEndedSince(userId, since, at, tx);
  }

  countUsersByTenant(tenantIds: readonly string[]): Promise<Map<string, number>> {
    return this.enrollments.countUsersByTenant(tenantIds);
  }

  private async tell(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    app: App,
    before: readonly string[] | null,
    after: readonly string[],
  ): Promise<void> {
    if (!givesAuthority(app, before, after)) return;
    await this.notices.administrator(tx, app, userId, giverOf(ctx));
  }

  private async refusal(
    tx: EntityManager,
    userId: string,
    appId: string,
    expected: EnrollmentStatus | null,
  ): Promise<Error> {
    const enrollment = expected && (await this.enrollments.find(userId, appId, tx));
    return enrollment ? new ForbiddenTransition(`Enrollment is not ${expected}`) : new EnrollmentNotFound();
  }

  private record(
    tx: EntityManager,
    ctx: RequestContext,
    action: AuditAction,
    userId: string,
    app: App,
    metadata = {},
  ): Promise<void> {
    return this.audit.record(tx, ctx, action, enrollmentSubject(userId, app, metadata));
  }
}
