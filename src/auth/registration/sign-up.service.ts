import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { KnownApp } from '../../apps/app-directory.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { User } from '../../users/user.entity.js';
import { UserAlreadyExists } from '../../users/users.errors.js';
import { UsersService } from '../../users/users.service.js';
import { AccountAlreadyExists, InviteCodeRequired, PasswordLoginNotEnabled } from '../entry/auth.errors.js';
import { MailLinksService } from '../email-links/mail-links.service.js';
import { PasswordPolicyService } from '../credentials/password/password-policy.service.js';
import { actingAs } from '../entry/sign-in-completion.service.js';
import { allowsMethod } from '../entry/allows-method.rules.js';

export interface SignUp {
  readonly email: string;
  readonly displayName: string;
  /** Null for a passwordless account. */
  readonly password: string | null;
}

/** A new account at an open app (enrolled at once) or at one that approves (enrolled as pending). */
@Injectable()
export class SignUpService {
  constructor(
    private readonly users: UsersService,
    private readonly enrollment: EnrollmentService,
    private readonly policy: PasswordPolicyService,
    private readonly links: MailLinksService,
    private readonly limits: RateLimitsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * Account, enrollment, verification mail and whatever `alongside` adds, in one transaction.
   * @throws InviteCodeRequired, PasswordLoginNotEnabled, PasswordRefused, AccountAlreadyExists, RateLimited
   */
  async signUp<T>(
    ctx: RequestContext,
    known: KnownApp,
    input: SignUp,
    alongside: (tx: EntityManager, user: User) => Promise<T>,
  ): Promise<{ user: User; status: 'active' | 'pending'; made: T }> {
    const { app, tenant } = known;
    await this.limits.consume('signup_ip', clientAddressKey(ctx.ip));
    if (app.registrationPolicy === 'invite' || app.isConsoleApp) throw new InviteCodeRequired();
    if (input.password !== null && !allowsMethod(app, 'password')) throw new PasswordLoginNotEnabled();
    const owner = { userId: null, email: input.email, displayName: input.displayName };
    const remark = input.password === null ? {} : await this.policy.check(input.password, owner, known);
    if (await this.users.findByEmail(input.email)) throw new AccountAlreadyExists();
    const passwordHash = input.password === null ? null : await this.users.hashPassword(input.password);
    const status = app.registrationPolicy === 'open' ? 'active' : 'pending';
    try {
      return await this.transactions.run(async (tx) => {
        const user = await this.users.create(tx, {
          ...input,
          passwordHash,
          emailVerified: false,
          isPlatformAdmin: false,
        });
        const asUser = actingAs(ctx, user, known);
        await this.audit.record(tx, asUser, 'user.created', {
          userId: user.id,
          tenantId: tenant.id,
          appId: app.id,
          target: { type: 'user', id: user.id },
          metadata: { by: 'sign_up', ...remark },
        });
        await this.enrollment.enrol(tx, asUser, { userId: user.id, app, roles: app.config.auto_assign_roles, status });
        await this.links.mailAsked(tx, ctx, 'verify_email', user, known);
        return { user, status, made: await alongside(tx, user) };
      });
    } catch (error) {
      // Two sign-ups at once: the unique constraint decides.
      if (error instanceof UserAlreadyExists) throw new AccountAlreadyExists();
      throw error;
    }
  }
}
