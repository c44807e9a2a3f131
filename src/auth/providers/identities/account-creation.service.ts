import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import { InviteRedemption } from '../../../invites/redemption/invite-redemption.service.js';
import type { User } from '../../../users/user.entity.js';
import { MailLinksService } from '../../email-links/mail-links.service.js';
import { actingAs } from '../../entry/entry.service.js';
import { NewAccounts } from '../../registration/new-accounts.service.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import { PasswordlessAccounts } from './passwordless-accounts.service.js';

/** Creates the account of a new user who signs in at a provider, and enrolls the user. */
@Injectable()
export class AccountCreation {
  constructor(
    private readonly passwordless: PasswordlessAccounts,
    private readonly accounts: NewAccounts,
    private readonly enrollment: EnrollmentService,
    private readonly links: MailLinksService,
    private readonly invites: InviteRedemption,
  ) {}

  /**
   * Creates the account, the link to the identity, and the enrollment according to the app's registration policy.
   * @param identity must have an e-mail address
   * @throws UserAlreadyExists, LinkedElsewhere
   */
  async create(
    tx: EntityManager,
    ctx: RequestContext,
    client: RegisteredClient,
    identity: ExternalIdentity,
  ): Promise<User> {
    const user = await this.passwordless.create(tx, ctx, client, identity, 'sign_up', null);
    const { app } = client;
    const status = app.registrationPolicy === 'open' ? ('active' as const) : ('pending' as const);
    const roles = app.config.auto_assign_roles;
    const enrolled = { userId: user.id, app, roles, status, joinsThemselves: true };
    await this.enrollment.enroll(tx, actingAs(ctx, user, client), enrolled);
    if (!identity.emailVerified) await this.links.mailVerification(tx, ctx, user, client);
    return user;
  }

  /**
   * Creates the account and the link to the identity, and redeems the invite, which enrolls the user. The code of a
   * mailed invite also verifies the address.
   * @param displayName the name that the user has entered
   * @throws UserAlreadyExists, LinkedElsewhere, InvalidInvite, InviteNotForThisEmail
   */
  async createInvited(
    tx: EntityManager,
    ctx: RequestContext,
    client: RegisteredClient,
    identity: ExternalIdentity,
    { code, displayName }: { code: string; displayName: string },
  ): Promise<User> {
    const user = await this.passwordless.create(tx, ctx, client, identity, 'invite', displayName);
    const asUser = actingAs(ctx, user, client);
    const { provesMailbox } = await this.invites.redeem(tx, asUser, { code, user, app: client.app });
    if (identity.emailVerified) return user;
    if (provesMailbox) return this.accounts.acceptAddress(tx, asUser, user);
    await this.links.mailVerification(tx, ctx, user, client);
    return user;
  }
}
