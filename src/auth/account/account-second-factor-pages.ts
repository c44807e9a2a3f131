import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../common/i18n/message.js';
import { OWN_BRAND } from '../../common/pages/brand.js';
import {
  NoSecondFactor,
  SecondFactorAlreadySet,
  SetupNotBegun,
} from '../credentials/second-factor/second-factor.errors.js';
import {
  again as againWith,
  backupCodesModel,
  BEGUN_AGAIN,
  fewTries,
  fieldOf,
  judgeSecondFactorError,
  setupModel,
  typedCode,
} from '../hosted-sign-in/steps/second-factor.pages.js';
import { SecondFactorCheck } from '../credentials/second-factor/second-factor-check.service.js';
import { SecondFactorService } from '../credentials/second-factor/second-factor.service.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import type { FormError } from '../../common/pages/form-error.js';
import { AccountDesk, type Fields, type Visit } from './account-desk.js';
import { AccountPages } from './account-pages.js';

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

interface Again {
  readonly status: number;
  readonly errors: readonly FormError[];
}

/** What the pages of the second factor do and show. */
@Injectable()
export class AccountSecondFactorPages {
  constructor(
    private readonly desk: AccountDesk,
    private readonly pages: AccountPages,
    private readonly secondFactor: SecondFactorService,
    private readonly checks: SecondFactorCheck,
    private readonly sessions: SsoSessionsService,
  ) {}

  /** The secret of a set-up that was begun in this session is shown again, so that a reload does not spoil the scan. */
  async showSetup(response: Response, visit: Visit, again: Again | null = null): Promise<void> {
    const setup = await this.secondFactor.begin(visit.holder.user, OWN_BRAND.appName, visit.holder.session!.id);
    const model = { ...setupModel(setup), ...(await this.state(visit, again)), action: '/account/second-factor' };
    const title = message('second-factor.set_up');
    await this.pages.showAct(response, visit, { view: 'account/second-factor', title, status: again?.status, model });
  }

  /** This browser has just shown the factor: its session goes on as one that has. */
  async confirm(request: Request, response: Response, visit: Visit, form: Fields): Promise<void> {
    const { ctx, session } = visit.holder;
    const shown = { code: typedCode(form), place: null, within: session!.id };
    try {
      const { backupCodes, made } = await this.secondFactor.confirm(ctx, visit.holder, shown, (tx, held) =>
        this.sessions.strengthen(tx, ctx, held, session, request),
      );
      if (made) this.sessions.send(response, made);
      await this.showBackupCodes(response, visit, backupCodes, 'second-factor-on');
    } catch (error) {
      if (error instanceof SecondFactorAlreadySet) return this.desk.leaveWith(response, null);
      if (error instanceof SetupNotBegun) return this.showSetup(response, visit, againWith(409, BEGUN_AGAIN));
      await this.showSetup(response, visit, againAfter(error, form, response));
    }
  }

  async showCodeForm(
    response: Response,
    visit: Visit,
    kind: keyof typeof CODE_FORMS,
    again: Again | null = null,
  ): Promise<void> {
    const form = CODE_FORMS[kind];
    const model = { ...form, ...(await this.state(visit, again)) };
    const page = { view: 'account/second-factor-code', title: form.heading, status: again?.status, model };
    await this.pages.showAct(response, visit, page);
  }

  async remove(response: Response, visit: Visit, form: Fields): Promise<void> {
    try {
      await this.secondFactor.disable(visit.holder.ctx, visit.holder, typedCode(form));
    } catch (error) {
      if (!(error instanceof NoSecondFactor))
        return this.showCodeForm(response, visit, 'remove', againAfter(error, form, response));
    }
    this.desk.leaveWith(response, 'second-factor-off');
  }

  async makeCodes(response: Response, visit: Visit, form: Fields): Promise<void> {
    let codes: string[];
    try {
      codes = await this.secondFactor.regenerateCodes(visit.holder.ctx, visit.holder, typedCode(form));
    } catch (error) {
      return this.showCodeForm(response, visit, 'codes', againAfter(error, form, response));
    }
    await this.showBackupCodes(response, visit, codes, 'codes-made');
  }

  private async state({ holder }: Visit, again: Again | null) {
    const errors = again?.errors ?? [];
    const backup = errors.some(({ field }) => field === 'backup_code');
    return { errors, backup, triesLeft: fewTries(await this.checks.triesLeft(holder.user), errors) };
  }

  private showBackupCodes(
    response: Response,
    visit: Visit,
    codes: readonly string[],
    notice: 'second-factor-on' | 'codes-made',
  ): Promise<void> {
    const title = message('second-factor.keep_your_codes');
    const model = { ...backupCodesModel(codes, visit.holder.user.email), nextUrl: '/account', done: notice };
    return this.pages.showAct(response, visit, { view: 'account/backup-codes', title, model });
  }
}

/** As at the sign-in; everything that the person can do nothing about goes to the error filter. */
function againAfter(error: unknown, form: Fields, response: Response): Again {
  const outcome = judgeSecondFactorError(error, fieldOf(form));
  if (outcome.retryAfter !== undefined) response.setHeader('Retry-After', outcome.retryAfter);
  return outcome;
}
