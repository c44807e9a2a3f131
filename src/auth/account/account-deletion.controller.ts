import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiForbiddenResponse,
  ApiFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiSeeOtherResponse,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnprocessableEntityResponse,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { type Message, message } from '../../common/i18n/message.js';
import type { FormError } from '../../common/pages/form-error.js';
import { momentInWords } from '../../common/pages/time-in-words.js';
import type { RequestContext } from '../../common/request-context.js';
import { readEmail } from '../../common/validation/email.rules.js';
import type { User } from '../../users/user.entity.js';
import { DeletionNotAllowed } from '../account-deletion/account-deletion.errors.js';
import { type OwnDeletionVerdict, WAITING_DAYS } from '../account-deletion/own-deletion.rules.js';
import { OwnDeletion } from '../account-deletion/own-deletion.service.js';
import { AccountPage } from './page/account-page.js';
import { AccountPages } from './page/account-pages.js';
import { AccountVisits, type Visit } from './page/account-visits.js';
import { limitedForm } from './page/limited-form.js';

const WHY_NOT: Readonly<Record<Exclude<OwnDeletionVerdict, 'ok'>, Message>> = {
  operator: message('account.deletion.operator'),
  suspended: message('account.deletion.suspended'),
  last_admin: message('account.deletion.last_admin'),
  not_allowed: message('account.deletion.not_allowed'),
};

/** The form with errors. */
interface Again {
  readonly status: 422 | 429;
  readonly typed: string;
  readonly error: FormError;
}

/** Deleting the user's own account: confirmation, waiting time and cancellation. */
@ApiTags('Account')
@Controller('account/delete')
@AccountPage()
export class AccountDeletionController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly pages: AccountPages,
    private readonly deletion: OwnDeletion,
  ) {}

  @Get()
  @Browser()
  @ApiOperation({
    summary: 'Show the page to delete the account, or to cancel its deletion',
    description:
      'Requires a sign-in from the last five minutes. Users who cannot delete their account get a page that says why.',
  })
  @ApiOkResponse({ description: 'HTML' })
  @ApiFoundResponse({ description: 'Redirects to the sign-in' })
  async show(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.enter(ctx, request, response);
    if (!visit) return;
    if (visit.holder.user.deletionDueAt) return this.page(response, visit, 'ok');
    const verdict = await this.deletion.judge(visit.holder.user.id);
    const freshVisit = verdict === 'ok' ? this.visits.orSignInAgain(visit, response, 'delete') : visit;
    if (freshVisit) await this.page(response, freshVisit, verdict);
  }

  @Post()
  @Browser()
  @HttpCode(303)
  @ApiOperation({
    summary: 'Delete the account in seven days',
    description: 'Requires a sign-in from the last five minutes, and the e-mail address of the account to confirm.',
  })
  @ApiSeeOtherResponse({ description: 'Redirects to the same page, which offers to keep the account' })
  @ApiForbiddenResponse({
    description: 'HTML: a tenant does not allow it, or the user is an administrator or suspended',
  })
  @ApiUnprocessableEntityResponse({ description: 'HTML: not the address of the account' })
  @ApiTooManyRequestsResponse({ description: 'HTML: limit `account_deletion`' })
  async request(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submitFresh(ctx, request, response, 'delete');
    if (!visit) return;
    const typed = visit.fields['email'] ?? '';
    if (!isAddressOf(visit.holder.user, typed)) {
      const error = { field: 'email', message: message('account.deletion.mistyped') };
      return this.page(response, visit, 'ok', { status: 422, typed, error });
    }
    try {
      await this.deletion.request(visit.holder, this.visits.isFresh(visit));
    } catch (refusal) {
      if (refusal instanceof DeletionNotAllowed) return this.page(response, visit, refusal.verdict);
      const error = { field: null, message: limitedForm(refusal, response) };
      return this.page(response, visit, 'ok', { status: 429, typed, error });
    }
    this.visits.leaveTo(response, '/account/delete');
  }

  @Post('cancel')
  @Browser()
  @HttpCode(303)
  @ApiOperation({ summary: 'Keep the account' })
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  async cancel(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submit(ctx, request, response);
    if (!visit) return;
    const { holder } = visit;
    await this.deletion.cancel(holder.ctx, holder.user, holder.proof);
    this.visits.leaveWith(response, 'account-kept');
  }

  private page(
    response: Response,
    visit: Visit,
    verdict: OwnDeletionVerdict,
    again: Again | null = null,
  ): Promise<void> {
    const { user } = visit.holder;
    const status = again?.status ?? (verdict === 'ok' ? 200 : 403);
    const title = user.deletionDueAt ? message('account.deletion.waiting') : message('account.deletion.heading');
    const model = {
      errors: again ? [again.error] : [],
      typed: again?.typed ?? '',
      email: user.email,
      days: WAITING_DAYS,
      due: user.deletionDueAt && momentInWords(user.deletionDueAt),
      whyNot: verdict === 'ok' ? null : WHY_NOT[verdict],
    };
    return this.pages.showAct(response, visit, { view: 'account/delete', title, model, status });
  }
}

/** Case-insensitive. Addresses from before some were refused can be typed unchanged. */
function isAddressOf({ email, emailCanonical }: User, typed: string): boolean {
  return readEmail(typed)?.canonical === emailCanonical || typed.trim() === email;
}
