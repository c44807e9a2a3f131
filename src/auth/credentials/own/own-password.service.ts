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
   * Sets the first password, based on a recent sign-in.
   * @param presented the SSO cookie, if the request used it
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
   * Changes the password, based on the current one.
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
    // Must be first, because the rules for a new password reveal the tenants and apps of the user.
    await this.current.check(ctx, user, current, client);
    const judged = await this.storage.judge(holder, password, client);
    await this.current.forgive(ctx, user);
    return this.storage.store(holder, judged, client, presented);
  }

  /** The app of the presented access token. */
  private async appOf({ via, ctx: { actor } }: AccountHolder): Promise<RegisteredClient | null> {
    const byToken = via === 'console_token' || via === 'app_token';
    return byToken && actor.type === 'user' ? this.directory.find(actor.audience) : null;
  }
}
