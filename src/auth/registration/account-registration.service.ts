import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { User } from '../../users/user.entity.js';
import { UserAlreadyExists } from '../../users/users.errors.js';
import { UsersService } from '../../users/users.service.js';
import { PasswordPolicyService, type PasswordRemark } from '../credentials/password/password-policy.service.js';
import { MailLinksService } from '../email-links/mail-links.service.js';
import { allowsMethod } from '../entry/methods/allows-method.rules.js';
import { PasswordLoginNotEnabled } from '../entry/auth.errors.js';
import { actingAs } from '../entry/entry.service.js';
import { NewAccounts } from './new-accounts.service.js';

export interface SignUp {
  readonly email: string;
  readonly displayName: string;
  /** Null for a passwordless account. */
  readonly password: string | null;
}

/** Input for a new account, checked and hashed before the transaction. */
export interface PreparedAccount {
  readonly email: string;
  readonly displayName: string;
  readonly passwordHash: string | null;
  readonly remark: PasswordRemark;
}

/** Accounts that users create themselves: by sign-up or with an invite, on a page or by JSON. */
@Injectable()
export class AccountRegistration {
  constructor(
    private readonly accounts: NewAccounts,
    private readonly users: UsersService,
    private readonly policy: PasswordPolicyService,
    private readonly links: MailLinksService,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * Counts a sign-up. Must be called first, so that failed ones count, too.
   * @throws RateLimited
   */
  count(ctx: RequestContext): Promise<void> {
    return this.limits.consume('signup_ip', clientAddressKey(ctx.ip));
  }

  /** @throws PasswordLoginNotEnabled, PasswordRefused, UserAlreadyExists */
  async prepare(
    ctx: RequestContext,
    client: RegisteredClient,
    { email, displayName, password }: SignUp,
  ): Promise<PreparedAccount> {
    if (password !== null && !allowsMethod(client.app, 'password')) throw new PasswordLoginNotEnabled();
    const owner = { userId: null, email, displayName };
    const remark = password === null ? {} : await this.policy.check(password, owner, client);
    if (await this.users.findByEmail(email)) throw new UserAlreadyExists();
    const passwordHash = password === null ? null : await this.users.hashPassword(ctx, password);
    return { email, displayName, passwordHash, remark };
  }

  /** @throws UserAlreadyExists if another request was first */
  create(
    tx: EntityManager,
    ctx: RequestContext,
    client: RegisteredClient,
    { email, displayName, passwordHash, remark }: PreparedAccount,
    by: 'sign_up' | 'invite',
  ): Promise<User> {
    const rest = { emailVerified: false, isPlatformAdmin: false, setBy: 'owner' } as const;
    const account = { email, displayName, passwordHash, ...rest };
    const as = (user: User) => actingAs(ctx, user, client);
    return this.accounts.create(tx, account, { as, app: client.app, metadata: { by, ...remark } });
  }

  /**
   * Verifies the address of a new account if a mailed invite has proven it; otherwise sends a verification mail.
   * @returns the user afterwards
   * @throws RateLimited
   */
  async settleAddress(
    tx: EntityManager,
    ctx: RequestContext,
    client: RegisteredClient,
    user: User,
    isProven: boolean,
  ): Promise<User> {
    if (isProven) return this.accounts.acceptAddress(tx, actingAs(ctx, user, client), user);
    await this.links.mailVerification(tx, ctx, user, client);
    return user;
  }
}
