import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../../common/i18n/message.js';
import { OWN_BRAND } from '../../../common/pages/brand/brand.js';
import { SecondFactorAlreadySet, SetupNotBegun } from '../../credentials/second-factor/stored/second-factor.errors.js';
import { SecondFactorSetup } from '../../credentials/second-factor/management/second-factor-setup.service.js';
import { again as againWith } from '../../hosted-sign-in/attempts/sign-in-step.js';
import {
  SETUP_RESTARTED,
  setupModel,
  typedCode,
} from '../../hosted-sign-in/steps/second-factor/second-factor.pages.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { AccountVisits, type Fields, type Visit } from '../page/account-visits.js';
import { type SecondFactorErrorPage, errorPageAfter } from './second-factor-error-page.js';
import { SecondFactorViews } from './second-factor-views.js';

/** Setting up a second factor on the account page. */
@Injectable()
export class AccountSecondFactorSetup {
  constructor(
    private readonly visits: AccountVisits,
    private readonly views: SecondFactorViews,
    private readonly setups: SecondFactorSetup,
    private readonly sessions: SsoSessionsService,
  ) {}

  /**
   * Shows the secret of a setup that was begun in this session again, so that a reload does not invalidate the scanned
   * code.
   */
  async show(response: Response, visit: Visit, again: SecondFactorErrorPage | null = null): Promise<void> {
    const setup = await this.setups.begin(visit.holder.user, OWN_BRAND.appName, visit.holder.session!.id);
    const model = { ...setupModel(setup), action: '/account/second-factor' };
    const title = message('second-factor.set_up');
    await this.views.showForm(response, visit, { view: 'account/second-factor', title, model }, again);
  }

  /** This browser has just used the factor, which its session then contains. */
  async confirm(request: Request, response: Response, visit: Visit, form: Fields): Promise<void> {
    const { ctx, session } = visit.holder;
    const shown = { code: typedCode(form), auditedApp: null, within: session!.id };
    try {
      const { backupCodes, made } = await this.setups.confirm(ctx, visit.holder, shown, (tx, held) =>
        this.sessions.strengthen(tx, ctx, held, session, request),
      );
      if (made) this.sessions.send(response, made);
      await this.views.showBackupCodes(response, visit, backupCodes, 'second-factor-on');
    } catch (error) {
      if (error instanceof SecondFactorAlreadySet) return this.visits.leaveWith(response, null);
      if (error instanceof SetupNotBegun) return this.show(response, visit, againWith(409, 'code', SETUP_RESTARTED));
      await this.show(response, visit, errorPageAfter(error, form, response));
    }
  }
}
