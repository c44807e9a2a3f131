import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { message, type Text } from '../../common/i18n/message.js';
import { type TimeInWords, timeInWords } from '../../common/pages/time-in-words.js';
import { PROVIDER_LABELS } from '../../config/provider-settings.js';
import type { User } from '../../users/user.entity.js';
import { AuthenticatorModels } from '../credentials/passkeys/stored/authenticator-models.js';
import { Passkeys } from '../credentials/passkeys/management/passkeys.service.js';
import { BackupCodes } from '../credentials/second-factor/management/backup-codes.service.js';
import { LinkedAccountsService } from '../providers/linked/linked-accounts.service.js';

export interface ListedCredential {
  readonly name: Text;
  /** When it was added. Null for the password, because the time is not stored. */
  readonly since: TimeInWords | null;
}

/** The credentials that an action behind a mailed link removes and keeps, for its page. */
export interface CredentialLists {
  readonly removed: readonly ListedCredential[];
  readonly kept: readonly ListedCredential[];
}

type Owner = Pick<User, 'id' | 'passwordHash' | 'totpEnabledAt'>;

/** Lists the credentials of an account, with the time at which each was added. */
@Injectable()
export class ListedCredentials {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly backupCodes: BackupCodes,
    private readonly linked: LinkedAccountsService,
    private readonly models: AuthenticatorModels,
    private readonly clock: Clock,
  ) {}

  /**
   * The password is always removed; other credentials are removed if they were added at `since` or later.
   * @param since as for `CredentialsSetUpSince.drop`
   */
  async list(user: Owner, since: Date): Promise<CredentialLists> {
    const { password, others } = await this.read(user);
    return {
      removed: [...password, ...others.filter(({ at }) => at >= since)],
      kept: others.filter(({ at }) => at < since),
    };
  }

  /**
   * What the first verification of the address removes and keeps.
   * @param keepsAll false: removes everything; true: removes at most the password, if its owner has not set it
   */
  async listAtVerification(user: Owner & Pick<User, 'passwordByOwner'>, keepsAll: boolean): Promise<CredentialLists> {
    const { password, others } = await this.read(user);
    if (!keepsAll) return { removed: [...password, ...others], kept: [] };
    return user.passwordByOwner ? { removed: [], kept: [...password, ...others] } : { removed: password, kept: others };
  }

  private async read(
    user: Owner,
  ): Promise<{ password: ListedCredential[]; others: (ListedCredential & { readonly at: Date })[] }> {
    const [passkeys, linked, codesMadeAt] = await Promise.all([
      this.passkeys.listOf(user.id),
      this.linked.listOf(user.id),
      this.backupCodes.findMadeAt(user.id),
    ]);
    const dated = [
      ...passkeys.map((each) => ({ name: this.models.shownName(each), at: each.createdAt })),
      ...linked.map(({ provider, linkedAt }) => ({ name: linkedName(PROVIDER_LABELS[provider]), at: linkedAt })),
      ...(user.totpEnabledAt ? [{ name: message('sign-in.credentials.authenticator'), at: user.totpEnabledAt }] : []),
      ...(codesMadeAt ? [{ name: message('sign-in.credentials.backup_codes'), at: codesMadeAt }] : []),
    ];
    const now = this.clock.now();
    const password = user.passwordHash === null ? [] : [{ name: message('sign-in.credentials.password'), since: null }];
    return { password, others: dated.map(({ name, at }) => ({ name, at, since: timeInWords(at, now) })) };
  }
}

function linkedName(provider: string): Text {
  return message('sign-in.credentials.linked', { provider });
}
