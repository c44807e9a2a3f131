import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { KnownApp } from '../../apps/app-directory.js';
import { AuditService } from '../../audit/audit.service.js';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { InviteRedemption } from '../../invites/invite-redemption.service.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { joinedAt } from '../../tokens/amr.rules.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { PasswordLoginNotEnabled } from '../entry/auth.errors.js';
import type { DirectAnswer } from '../api-sign-in/direct-sign-in.service.js';
import { FirstSignIn } from '../api-sign-in/first-sign-in.service.js';
import { MailLinksService } from '../email-links/mail-links.service.js';
import { PasswordPolicyService } from '../credentials/password/password-policy.service.js';
import { actingAs } from '../entry/sign-in-completion.service.js';
import { allowsMethod } from '../entry/allows-method.rules.js';

interface Newcomer {
  readonly code: string;
  readonly email: string;
  readonly displayName: string;
  readonly password: string | null;
}

/** An invite accepted by somebody who has no account yet. */
@Injectable()
export class InvitedNewcomer {
  constructor(
    private readonly users: UsersService,
    private readonly invites: InviteRedemption,
    private readonly policy: PasswordPolicyService,
    private readonly links: MailLinksService,
    private readonly limits: RateLimitsService,
    private readonly firstSignIns: FirstSignIn,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** Account, enrollment and sign-in in one transaction. @throws what {@link join} throws, SecondFactorRequired, EmailNotVerified */
  async accept(
    ctx: RequestContext,
    known: KnownApp,
    newcomer: Newcomer & { deviceId: string | null; replacedSession: string | null },
  ): Promise<DirectAnswer> {
    const { deviceId, replacedSession } = newcomer;
    const { user, made } = await this.join(ctx, known, newcomer, async (tx, each, provesMailbox) => {
      const amr = amrOf(newcomer, provesMailbox, known);
      const signIn = { known, user: each, authTime: this.clock.now(), amr, deviceId, replacedSession };
      return this.firstSignIns.make(tx, ctx, signIn);
    });
    return this.firstSignIns.answer(user, known, made);
  }

  /**
   * Account, redemption and whatever `alongside` adds, in one transaction. The code of a mailed invite proves the
   * mailbox; otherwise a verification mail goes out.
   * @throws RateLimited, PasswordLoginNotEnabled, PasswordRefused, UserAlreadyExists, InvalidInvite,
   *   InviteNotForThisEmail
   */
  async join<T>(
    ctx: RequestContext,
    known: KnownApp,
    { code, email, displayName, password }: Newcomer,
    alongside: (tx: EntityManager, user: User, provesMailbox: boolean) => Promise<T>,
  ): Promise<{ user: User; made: T }> {
    const { app, tenant } = known;
    await this.limits.consume('signup_ip', clientAddressKey(ctx.ip));
    if (password !== null && !allowsMethod(app, 'password')) throw new PasswordLoginNotEnabled();
    const owner = { userId: null, email, displayName };
    const remark = password === null ? {} : await this.policy.check(password, owner, known);
    const passwordHash = password === null ? null : await this.users.hashPassword(password);
    return this.transactions.run(async (tx) => {
      const account = { email, displayName, passwordHash, emailVerified: false, isPlatformAdmin: false };
      const created = await this.users.create(tx, account);
      const asUser = actingAs(ctx, created, known);
      await this.audit.record(tx, asUser, 'user.created', {
        userId: created.id,
        tenantId: tenant.id,
        appId: app.id,
        target: { type: 'user', id: created.id },
        metadata: { by: 'invite', ...remark },
      });
      const { provesMailbox } = await this.invites.redeem(tx, asUser, { code, user: created, app });
      if (provesMailbox) await this.verify(tx, asUser, created);
      else await this.links.mailAsked(tx, ctx, 'verify_email', created, known);
      const user = await this.users.get(created.id, tx);
      return { user, made: await alongside(tx, user, provesMailbox) };
    });
  }

  private async verify(tx: EntityManager, ctx: RequestContext, user: User): Promise<void> {
    await this.users.verifyEmail(tx, user.id, user.emailCanonical);
    await this.audit.record(tx, ctx, 'user.email_verified', {
      userId: user.id,
      target: { type: 'user', id: user.id },
      metadata: { by: 'invite' },
    });
  }
}

/** How a newcomer has shown who they are (RFC 8176). */
export function amrOf({ password }: Pick<Newcomer, 'password'>, provesMailbox: boolean, { app }: KnownApp): string[] {
  return [...(password === null ? [joinedAt(app)] : ['pwd']), ...(provesMailbox ? ['email'] : [])];
}
