import { Injectable } from '@nestjs/common';
import { AppDirectory, type KnownApp } from '../../../apps/app-directory.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { EntryCache } from '../../../enrollment/entry-cache.js';
import { ProofGuard } from '../../../users/proof-guard.js';
import type { User } from '../../../users/user.entity.js';
import { UsersService } from '../../../users/users.service.js';
import { ReauthenticationRequired } from '../../entry/auth.errors.js';
import { PersonLimits } from '../../session/person-limits.service.js';
import { NewPasswordService } from '../password/new-password.service.js';
import { PasswordPolicyService } from '../password/password-policy.service.js';
import { type AccountHolder, AccountHolders } from '../../access/account-holder.service.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { CurrentPasswordIncorrect, NoPasswordSet, PasswordAlreadySet } from './own-password.errors.js';

/** People and their own passwords: the first one of a passwordless account, and another one. */
@Injectable()
export class OwnPasswordService {
  constructor(
    private readonly users: UsersService,
    private readonly holders: AccountHolders,
    private readonly directory: AppDirectory,
    private readonly policy: PasswordPolicyService,
    private readonly passwords: NewPasswordService,
    private readonly sessions: SsoSessionsService,
    private readonly limits: PersonLimits,
    private readonly entries: EntryCache,
    private readonly proofs: ProofGuard,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * A first password, on the strength of a sign-in that was just made.
   * @param presented the SSO cookie, where they came by it
   * @returns its new value: the session lives on under it, everything else ends
   * @throws PasswordAlreadySet, ReauthenticationRequired, PasswordRefused
   */
  async set(holder: AccountHolder, password: string, presented: string | null): Promise<string | null> {
    if (holder.user.passwordHash !== null) throw new PasswordAlreadySet();
    if (!this.holders.isFresh(holder)) throw new ReauthenticationRequired();
    return this.store(holder, password, presented);
  }

  /**
   * Another password, on the strength of the current one. Wrong tries count like those at the sign-in.
   * @param presented as for {@link set}
   * @returns as {@link set} does
   * @throws NoPasswordSet, RateLimited, CurrentPasswordIncorrect, PasswordRefused
   */
  async change(
    holder: AccountHolder,
    current: string,
    password: string,
    presented: string | null,
  ): Promise<string | null> {
    const { ctx, user } = holder;
    if (user.passwordHash === null) throw new NoPasswordSet();
    await this.limits.consume(ctx, 'login_email', user.emailCanonical);
    if (!(await this.users.isPassword(user, current))) {
      await this.recordWrong(ctx, user, await this.appOf(holder));
      throw new CurrentPasswordIncorrect();
    }
    await this.limits.forgive(ctx, 'login_email', user.emailCanonical);
    return this.store(holder, password, presented);
  }

  /** @throws ProofOutdated if another request was first: the account is no longer what the user has proven to own */
  private async store(holder: AccountHolder, password: string, presented: string | null): Promise<string | null> {
    const { ctx, user, session } = holder;
    const known = await this.appOf(holder);
    const owner = { userId: user.id, email: user.email, displayName: user.displayName };
    const remark = await this.policy.check(password, owner, known);
    const passwordHash = await this.users.hashPassword(password);
    const ssoToken = await this.transactions.run(async (tx) => {
      const held = await this.proofs.hold(tx, holder.proof);
      const isFirst = user.passwordHash === null;
      await this.passwords.store(tx, ctx, { user, passwordHash, isFirst, by: 'owner', remark, known });
      if (!session) return null;
      const { authTime, amr } = session;
      return this.sessions.begin(tx, ctx, held, { authTime, amr }, presented);
    });
    this.entries.forget(user.id);
    return ssoToken;
  }

  /** The one whose access token they presented. */
  private async appOf({ via, ctx: { actor } }: AccountHolder): Promise<KnownApp | null> {
    const byToken = via === 'console_token' || via === 'app_token';
    return byToken && actor.type === 'user' ? this.directory.find(actor.audience) : null;
  }

  private recordWrong(ctx: RequestContext, user: User, known: KnownApp | null): Promise<void> {
    return this.audit.recordAlone(ctx, 'user.password_changed', {
      userId: user.id,
      tenantId: known?.tenant.id,
      appId: known?.app.id,
      target: { type: 'user', id: user.id },
      outcome: 'failure',
      metadata: { by: 'owner', reason: 'current_password_incorrect' },
    });
  }
}
