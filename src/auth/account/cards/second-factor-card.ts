import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { timeInWords } from '../../../common/pages/time-in-words.js';
import type { AccountHolder } from '../../access/account-holder.service.js';
import { BackupCodes } from '../../credentials/second-factor/management/backup-codes.service.js';
import type { CardContent } from './account-card.js';

const FEW_CODES = 3;

/** The account page's card of the second factor. */
@Injectable()
export class SecondFactorCard {
  constructor(
    private readonly backupCodes: BackupCodes,
    private readonly clock: Clock,
  ) {}

  async read({ user }: AccountHolder): Promise<CardContent> {
    if (!user.totpEnabledAt) return { isOn: false };
    const codesLeft = await this.backupCodes.countUnused(user.id);
    const since = timeInWords(user.totpEnabledAt, this.clock.now());
    return { isOn: true, since, codesLeft, isLow: codesLeft < FEW_CODES };
  }
}
