import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { type AccountHolder, AccountHolders } from '../../access/account-holder.service.js';
import { CurrentPassword } from './current-password.service.js';
import { NoPasswordSet, PasswordAlreadySet } from './own-password.errors.js';
import { OwnPasswordStorage } from './own-password-storage.service.js';

/** Users set the first password of a passwordless account, or change their password. */
@Injectable()
export class OwnPasswordService {
  constructor(
    private readonly holders: AccountHolders,
    private readonly directory: AppDirectory,
    private readonly current: CurrentPassword,
    private readonly storage: OwnPasswordStorage,
  ) {}

  /**
   * A first password, on the strength of a sign-in that was just made.
   * @param presented the SSO cookie, where they came by it
   * @returns its new value: this session continues with it, all others end
   * @throws PasswordAlreadySet, ReauthenticationRequired, PasswordRefused
   */
  async set(holder: AccountHolder, password: string, presented: string | null): Promise<string | null> {
    if (holder.user.passwordHash !== null) throw new PasswordAlreadySet();
    await this.holders.checkFresh(holder);
    const client = await this.appOf(holder);
    return this.storage.store(holder, await this.storage.judge(holder, password, client), client, presented);
  }

  /**
   * Another password, on the strength of the current one.
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
    const client = await this.appOf(holder);
    // First: the rules that a new password is judged by tell in which tenants and apps the user is.
    await this.current.check(ctx, user, current, client);
    const judged = await this.storage.judge(holder, password, client);
    await this.current.forgive(ctx, user);
    return this.storage.store(holder, judged, client, presented);
  }

  /** The session of the access token that they presented. */
  private async appOf({ via, ctx: { actor } }: AccountHolder): Promise<RegisteredClient | null> {
    const byToken = via === 'console_token' || via === 'app_token';
    return byToken && actor.type === 'user' ? this.directory.find(actor.audience) : null;
  }
}
