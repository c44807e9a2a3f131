import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { message } from '../../../common/i18n/message.js';
import { NoSecondFactor } from '../../credentials/second-factor/stored/second-factor.errors.js';
import { SecondFactorService } from '../../credentials/second-factor/management/second-factor.service.js';
import { typedCode } from '../../hosted-sign-in/steps/second-factor/second-factor.pages.js';
import { AccountVisits, type Fields, type Visit } from '../page/account-visits.js';
import { type SecondFactorErrorPage, errorPageAfter } from './second-factor-error-page.js';
import { SecondFactorViews } from './second-factor-views.js';

const CODE_FORMS = {
  remove: {
    heading: message('account.second_factor.removal'),
    lead: message('account.second_factor.removal_lead'),
    button: message('account.second_factor.remove_it'),
    action: '/account/second-factor/remove',
  },
  codes: {
    heading: message('account.second_factor.new_codes'),
    lead: message('account.second_factor.new_codes_lead'),
    button: message('account.second_factor.make_codes'),
    action: '/account/second-factor/codes',
  },
} as const;

/** Removing the second factor, and new backup codes, on the account page. */
@Injectable()
export class AccountSecondFactorPages {
  constructor(
    private readonly visits: AccountVisits,
    private readonly views: SecondFactorViews,
    private readonly secondFactor: SecondFactorService,
  ) {}

  async showCodeForm(
    response: Response,
    visit: Visit,
    kind: keyof typeof CODE_FORMS,
    again: SecondFactorErrorPage | null = null,
  ): Promise<void> {
    const form = CODE_FORMS[kind];
    const page = { view: 'account/second-factor-code', title: form.heading, model: form };
    await this.views.showForm(response, visit, page, again);
  }

  async remove(response: Response, visit: Visit, form: Fields): Promise<void> {
    try {
      await this.secondFactor.disable(visit.holder.ctx, visit.holder, typedCode(form));
    } catch (error) {
      if (!(error instanceof NoSecondFactor))
        return this.showCodeForm(response, visit, 'remove', errorPageAfter(error, form, response));
    }
    this.visits.leaveWith(response, 'second-factor-off');
  }

  async makeCodes(response: Response, visit: Visit, form: Fields): Promise<void> {
    let codes: string[];
    try {
      codes = await this.secondFactor.regenerateCodes(visit.holder.ctx, visit.holder, typedCode(form));
    } catch (error) {
      return this.showCodeForm(response, visit, 'codes', errorPageAfter(error, form, response));
    }
    await this.views.showBackupCodes(response, visit, codes, 'codes-made');
  }
}
