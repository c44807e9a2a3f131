import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import type { User } from '../../users/user.entity.js';
import { NewCredentialNotices } from '../credentials/notices/new-credential-notices.service.js';
import { DroppedPasskeys } from '../credentials/passkeys/management/dropped-passkeys.js';
import { BackupCodes } from '../credentials/second-factor/management/backup-codes.service.js';
import { SecondFactorService } from '../credentials/second-factor/management/second-factor.service.js';
import { LinkedAccountsService } from '../providers/linked/linked-accounts.service.js';

/** Removes the credentials that were set up at a given time or later. {@link ListedCredentials} lists them. */
@Injectable()
export class CredentialsSetUpSince {
  constructor(
    private readonly secondFactor: SecondFactorService,
    private readonly backupCodes: BackupCodes,
    private readonly linked: LinkedAccountsService,
    private readonly passkeys: DroppedPasskeys,
    private readonly notices: NewCredentialNotices,
  ) {}

  /**
   * Keeps an older authenticator app, but not the backup codes that were made for it since. Voids the links of all
   * mails about new credentials.
   */
  async drop(tx: EntityManager, ctx: RequestContext, { id, totpEnabledAt }: User, since: Date): Promise<void> {
    if (totpEnabledAt && totpEnabledAt >= since) await this.secondFactor.drop(tx, id);
    await this.backupCodes.dropSince(tx, id, since);
    await this.linked.dropAll(tx, id, since);
    await this.passkeys.dropSince(tx, ctx, id, since);
    await this.notices.voidAll(tx, id);
  }
}
