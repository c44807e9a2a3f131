import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { KnownApp } from '../../apps/app-directory.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { MailLinksService } from '../links/mail-links.service.js';
import { actingAs } from '../sign-in-completion.service.js';
import type { ExternalIdentity } from './external-provider.js';
import { LinkedAccountsService } from './linked/linked-accounts.service.js';
import { cleanName } from './start.rules.js';

/** The account of somebody whom a provider has brought: passwordless, with the identity as its way in. */
@Injectable()
export class NewcomersService {
  constructor(
    private readonly users: UsersService,
    private readonly enrollment: EnrollmentService,
    private readonly linked: LinkedAccountsService,
    private readonly links: MailLinksService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Account, link and enrollment as the app's policy has it.
   * @param identity one with an address
   * @throws UserAlreadyExists, LinkedElsewhere
   */
  async create(tx: EntityManager, ctx: RequestContext, known: KnownApp, identity: ExternalIdentity): Promise<User> {
    const user = await this.account(tx, ctx, known, identity, null);
    const { app } = known;
    const status = app.registrationPolicy === 'open' ? ('active' as const) : ('pending' as const);
    const enrolled = { userId: user.id, app, roles: app.config.auto_assign_roles, status };
    await this.enrollment.enrol(tx, actingAs(ctx, user, known), enrolled);
    return user;
  }

  /**
   * Account and link alone; an invite enrols.
   * @param displayName what the person wants to be called, null: as the provider says
   */
  async account(
    tx: EntityManager,
    ctx: RequestContext,
    known: KnownApp,
    identity: ExternalIdentity,
    displayName: string | null,
  ): Promise<User> {
    const email = identity.email!;
    const user = await this.users.create(tx, {
      email,
      displayName: cleanName(displayName) ?? cleanName(identity.displayName) ?? email.split('@')[0]!,
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
      metadata: { by: 'provider', provider: identity.provider, email_verified: identity.emailVerified },
    });
    if (!identity.emailVerified) await this.links.mail(tx, 'verify_email', user, known);
    await this.linked.link(tx, asUser, user, identity, displayName === null ? 'sign_up' : 'invite', known);
    return user;
  }
}
