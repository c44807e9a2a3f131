import { Injectable } from '@nestjs/common';
import { UserPasskeysService } from '../../../admin/users/credentials/user-passkeys.service.js';
import { RelyingParty } from '../../../auth/credentials/passkeys/ceremonies/relying-party.js';
import { NO_PASSKEYS } from '../../../auth/credentials/passkeys/ceremonies/relying-party.rules.js';
import { Clock } from '../../../common/clock.js';
import { type TimeInWords, timeInWords } from '../../../common/pages/time-in-words.js';
import type { RequestContext } from '../../../common/request-context.js';
import { PasskeyWords } from './passkey-words.js';

export interface PasskeyRow {
  readonly id: string;
  readonly what: string;
  readonly since: TimeInWords;
  readonly lastUsed: TimeInWords | null;
}

/** The passkeys of a user, as rows of a console page. */
@Injectable()
export class UserPasskeys {
  constructor(
    private readonly passkeys: UserPasskeysService,
    private readonly words: PasskeyWords,
    private readonly party: RelyingParty,
    private readonly clock: Clock,
  ) {}

  /** Text if there are none. */
  get none(): string {
    return this.party.isUsable ? 'None. Users add passkeys on their account page.' : `None. ${NO_PASSKEYS}`;
  }

  async rows(ctx: RequestContext, userId: string): Promise<PasskeyRow[]> {
    const now = this.clock.now();
    return (await this.passkeys.list(ctx, userId)).map((passkey) => ({
      id: passkey.id,
      what: this.words.describe(passkey),
      since: timeInWords(passkey.createdAt, now),
      lastUsed: passkey.lastUsedAt && timeInWords(passkey.lastUsedAt, now),
    }));
  }
}
