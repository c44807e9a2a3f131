import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { message, type Text } from '../../../common/i18n/message.js';
import { PASSKEY_NAME_LENGTH } from '../../credentials/passkeys/stored/passkey.rules.js';
import {
  InvalidPasskey,
  PasskeyAlreadyAdded,
  PasskeyModelNotAccepted,
  TooManyPasskeys,
} from '../../credentials/passkeys/stored/passkeys.errors.js';
import { AccountPages, type RejectedForm } from '../page/account-pages.js';
import type { Visit } from '../page/account-visits.js';
import { OwnPasskeys } from '../own/own-passkeys.service.js';
import { PasskeyRows } from '../cards/passkey-rows.js';

/** The pages of passkeys on the account page: a new one, and one of those that there are. */
@Injectable()
export class AccountPasskeyPages {
  constructor(
    private readonly pages: AccountPages,
    private readonly passkeys: OwnPasskeys,
    private readonly rows: PasskeyRows,
  ) {}

  async showNew(response: Response, visit: Visit, again: RejectedForm | null = null): Promise<void> {
    const title = message('account.passkeys.add');
    const model = { errors: again?.errors ?? [] };
    await this.pages.showAct(response, visit, { view: 'account/passkey-new', title, model, status: again?.status });
  }

  /** @throws PasskeyNotFound */
  async showOne(response: Response, visit: Visit, id: string, again: RejectedForm | null = null): Promise<void> {
    const passkey = await this.passkeys.get(visit.holder, id);
    const row = this.rows.row(passkey);
    const model = {
      ...row,
      errors: again?.errors ?? [],
      typed: again?.fields['name'] ?? passkey.name ?? '',
      maxLength: PASSKEY_NAME_LENGTH,
      isLastWayIn: await this.passkeys.isLastWayIn(visit.holder),
    };
    const title = message('account.passkeys.edit_heading');
    await this.pages.showAct(response, visit, { view: 'account/passkey', title, model, status: again?.status });
  }
}

/** Refusals that the user can correct; all others go to the error filter. */
export function passkeyAgain(error: unknown): RejectedForm {
  if (error instanceof InvalidPasskey) return again(400, message('account.passkeys.failed'));
  if (error instanceof PasskeyAlreadyAdded) return again(409, message('account.passkeys.known'));
  if (error instanceof PasskeyModelNotAccepted) return again(409, message('account.passkeys.other_model'));
  if (error instanceof TooManyPasskeys) return again(409, message('account.passkeys.too_many'));
  throw error;
}

function again(status: number, text: Text): RejectedForm {
  return { status, errors: [{ field: null, message: text }], fields: {} };
}
