import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { message } from '../../../common/i18n/message.js';
import { PasswordPolicyService } from '../../credentials/password/password-policy.service.js';
import { AccountPages, type RejectedForm } from './account-pages.js';
import type { Visit } from './account-visits.js';
import { OwnLanguage } from '../own/own-language.js';

/** The small forms that open from rows of the account page. */
@Injectable()
export class AccountForms {
  constructor(
    private readonly pages: AccountPages,
    private readonly policy: PasswordPolicyService,
    private readonly languages: OwnLanguage,
  ) {}

  async showProfile(response: Response, visit: Visit, again: RejectedForm | null = null): Promise<void> {
    const { displayName, locale } = visit.holder.user;
    const title = message('account.profile.edit');
    const model = {
      errors: again?.errors ?? [],
      displayName: again?.fields['display_name'] ?? displayName,
      languages: this.languages.options(locale),
    };
    await this.pages.showAct(response, visit, { view: 'account/profile', title, model, status: again?.status });
  }

  async showPassword(response: Response, visit: Visit, again: RejectedForm | null = null): Promise<void> {
    const { user } = visit.holder;
    const hasPassword = user.passwordHash !== null;
    const title = hasPassword ? message('account.password.change') : message('account.password.set');
    const minPasswordLength = await this.policy.minimum(user.id, null);
    const model = { errors: again?.errors ?? [], hasPassword, minPasswordLength };
    await this.pages.showAct(response, visit, { view: 'account/password', title, model, status: again?.status });
  }
}
