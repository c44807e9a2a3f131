import { Injectable } from '@nestjs/common';
import type { AccountHolder } from '../../access/account-holder.service.js';
import { momentInWords } from '../../../common/pages/time-in-words.js';
import { PasskeyRecoveryRequests } from '../../passkey-recovery/passkey-recovery-requests.service.js';
import { RelyingParty } from '../../credentials/passkeys/ceremonies/relying-party.js';
import { type CardContent, folded } from './account-card.js';
import { OwnPasskeys } from '../own/own-passkeys.service.js';
import { PasskeyRows } from './passkey-rows.js';

/** The card of passkeys: hidden if there are none and browsers could create none. */
@Injectable()
export class PasskeysCard {
  constructor(
    private readonly passkeys: OwnPasskeys,
    private readonly rows: PasskeyRows,
    private readonly party: RelyingParty,
    private readonly recoveries: PasskeyRecoveryRequests,
  ) {}

  async read({ user }: AccountHolder): Promise<CardContent> {
    const passkeys = await this.passkeys.list(user.id);
    const rows = passkeys.map((passkey) => this.rows.row(passkey));
    const isEmpty = rows.length === 0;
    const { isUsable: isOffered } = this.party;
    const signals = isOffered ? await this.passkeys.signals(user, passkeys) : null;
    const wait = await this.recoveries.findWait(user.id);
    const lost = wait && { since: momentInWords(wait.since), until: momentInWords(wait.until) };
    return { ...folded(rows), lost, isEmpty, isOffered, isHidden: isEmpty && !isOffered, signals };
  }
}
