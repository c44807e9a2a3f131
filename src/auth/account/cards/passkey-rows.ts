import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { message, type Text } from '../../../common/i18n/message.js';
import { type TimeInWords, timeInWords } from '../../../common/pages/time-in-words.js';
import { AuthenticatorModels } from '../../credentials/passkeys/stored/authenticator-models.js';
import type { Passkey } from '../../credentials/passkeys/stored/passkey.entity.js';

export interface PasskeyRow {
  readonly id: string;
  /** Given by its owner, otherwise the model. */
  readonly name: Text;
  /** Empty if it is the name, or unknown. */
  readonly model: string;
  readonly kind: Text;
  readonly since: TimeInWords;
  readonly lastUsed: TimeInWords | null;
}

/** A passkey as shown to its owner. */
@Injectable()
export class PasskeyRows {
  constructor(
    private readonly models: AuthenticatorModels,
    private readonly clock: Clock,
  ) {}

  row({ id, name, aaguid, isSynced, createdAt, lastUsedAt }: Passkey): PasskeyRow {
    const now = this.clock.now();
    const model = this.models.nameOf(aaguid);
    return {
      id,
      name: this.models.shownName({ name, aaguid }),
      model: name !== null && model !== null ? model : '',
      kind: isSynced ? message('account.passkeys.synced') : message('account.passkeys.device_bound'),
      since: timeInWords(createdAt, now),
      lastUsed: lastUsedAt && timeInWords(lastUsedAt, now),
    };
  }
}
