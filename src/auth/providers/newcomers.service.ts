import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { KnownApp } from '../../apps/app-directory.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { InviteRedemption } from '../../invites/invite-redemption.service.js';
import { cleanDisplayName } from '../../users/display-name.rules.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { MailLinksService } from '../links/mail-links.service.js';
import { actingAs } from '../sign-in-completion.service.js';
import type { ExternalIdentity } from './external-provider.js';
import { LinkedAccountsService } from './linked/linked-accounts.service.js';

/** The account of somebody whom a provider has brought: passwordless, with the identity as its way in. */
@Injectable()
export class NewcomersService {
  constructor(
    private readonly users: UsersService,
    private readonly enrollment: EnrollmentService,
    private readonly linked: LinkedAccountsService,
    private readonly links: MailLinksService,
    private readonly invites: InviteRedemption,
    private readonly audit: AuditService,
  ) {}

  /**
   * Account, link and enrollment as the app's policy has it.
   * @param identity one with an address
   * @throws UserAlreadyExists, LinkedElsewhere
   */
  async create(tx: EntityManager, ctx: RequestContext, known: KnownApp, identity: ExternalIdentity): Promise<User> {
    const user = await this.account(tx, ctx, known, identity, 'sign_up', null);
    const { app } = known;
    const status = app.registrationPolicy === 'open' ? ('active' as const) : ('pending' as const);
    const enrolled = { userId: user.id, app, roles: app.config.auto_assign_roles, status };
    await this.enrollment.enrol(tx, actingAs(ctx, user, known), enrolled);
    if (!identity.emailVerified) await this.links.mailAsked(tx, ctx, 'verify_email', user, known);
    return user;
  }

  /**
   * Account and link, and one use of the invite, which enrols. The code of a mailed invite proves the address too.
   * @param displayName what the person wants to be called
   * @throws UserAlreadyExists, LinkedElsewhere, InvalidInvite, InviteNotForThisEmail
   */
  async createInvited(
    tx: EntityManager,
    ctx: RequestContext,
    known: KnownApp,
    identity: ExternalIdentity,
    { code, displayName }: { code: string; displayName: string },
  ): Promise<User> {
    const user = await this.account(tx, ctx, known, identity, 'invite', displayName);
    const asUser = actingAs(ctx, user, known);
    const { provesMailbox } = await this.invites.redeem(tx, asUser, { code, user, app: known.app });
    if (identity.emailVerified) return user;
    if (!provesMailbox) {
      await this.links.mailAsked(tx, ctx, 'verify_email', user, known);
      return user;
    }
    await this.users.verifyEmail(tx, user.id, user.emailCanonical);
    await this.audit.record(tx, asUser, 'user.email_verified', {
      userId: user.id,
      target: { type: 'user', id: user.id },
      metadata: { by: 'invite' },
    });
    return this.users.get(user.id, tx);
  }

  private async account(
    tx: EntityManager,
    ctx: RequestContext,
    known: KnownApp,
    identity: ExternalIdentity,
    by: 'sign_up' | 'invite',
    displayName: string | null,
  ): Promise<User> {
    const email = identity.email!;
    const user = await this.users.create(tx, {
      email,
      displayName: cleanDisplayName(displayName) ?? identity.displayName ?? '',
      passwordHash: null,
      emailVerified: identity.emailVerified,
      isPlatformAdmin: false,
    });
    const asUser = actingAs(ctx, user, known);
    await this.audit.record(tx, asUser, 'user.created', {
      userId: user.id,
      tenantId: known.app.tenantId,
      appId: known.app.id,
      target: { type: 'user', id: user.id },
      metadata: { by, provider: identity.provider, email_verified: identity.emailVerified },
    });
    await this.linked.link(tx, asUser, user, identity, by, known);
    return user;
  }
}
