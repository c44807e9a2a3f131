import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { message, type Text } from '../../common/i18n/message.js';
import { AccountPages } from './page/account-pages.js';
import type { Visit } from './page/account-visits.js';

interface Again {
  readonly status: number;
  readonly error: Text;
}

/** The two pages of a change of address. */
@Injectable()
export class AccountEmailPages {
  constructor(private readonly pages: AccountPages) {}

  async showAddress(
    response: Response,
    visit: Visit,
    again: (Again & { readonly typed: string }) | null = null,
  ): Promise<void> {
    const { email, emailVerified } = visit.holder.user;
    const errors = again ? [{ field: 'email', message: again.error }] : [];
    const model = { errors, email, emailVerified, typed: again?.typed ?? '' };
    const title = message('account.email_change.heading');
    await this.pages.showAct(response, visit, { view: 'account/email', title, model, status: again?.status });
  }

  async showCode(response: Response, visit: Visit, newEmail: string, again: Again | null = null): Promise<void> {
    const errors = again ? [{ field: 'code', message: again.error }] : [];
    const title = message('account.email_change.code_heading');
    const model = { errors, newEmail };
    await this.pages.showAct(response, visit, { view: 'account/email-code', title, model, status: again?.status });
  }
}
