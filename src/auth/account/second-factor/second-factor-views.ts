import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { message, type Text } from '../../../common/i18n/message.js';
import { SecondFactorTries } from '../../credentials/second-factor/check/second-factor-tries.service.js';
import { backupCodesModel, fewTries } from '../../hosted-sign-in/steps/second-factor/second-factor.pages.js';
import type { Visit } from '../page/account-visits.js';
import { AccountPages } from '../page/account-pages.js';
import type { SecondFactorErrorPage } from './second-factor-error-page.js';

/** The pages of the second factor on the account page. */
@Injectable()
export class SecondFactorViews {
  constructor(
    private readonly pages: AccountPages,
    private readonly tries: SecondFactorTries,
  ) {}

  /** A form for a code, with the remaining attempts if they are few. */
  async showForm(
    response: Response,
    visit: Visit,
    { view, title, model }: { view: string; title: Text; model: Readonly<Record<string, unknown>> },
    again: SecondFactorErrorPage | null,
  ): Promise<void> {
    const errors = again?.errors ?? [];
    const backup = errors.some(({ field }) => field === 'backup_code');
    const triesLeft = fewTries(await this.tries.left(visit.holder.user), errors);
    const all = { ...model, errors, backup, triesLeft };
    await this.pages.showAct(response, visit, { view, title, status: again?.status, model: all });
  }

  showBackupCodes(
    response: Response,
    visit: Visit,
    codes: readonly string[],
    notice: 'second-factor-on' | 'codes-made',
  ): Promise<void> {
    const title = message('second-factor.save_your_codes');
    const model = { ...backupCodesModel(codes, visit.holder.user.email), nextUrl: '/account', done: notice };
    return this.pages.showAct(response, visit, { view: 'account/backup-codes', title, model });
  }
}
