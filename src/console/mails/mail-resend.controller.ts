import { Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MailResend } from '../../admin/mail-log/mail-resend.service.js';
import { waitInEnglish } from '../../common/pages/durations.js';
import { Refusal } from '../../common/refusal.js';
import { MEMBERSHIP_PERMISSION } from '../../enrollment/enrollments/membership-actions.js';
import { RateLimited } from '../../rate-limits/rate-limited.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  CurrentConsoleRequest,
  FormFields,
} from '../frame/requests/console-request.js';

/** The pages with the button. */
const BACK = /^\/console\/(?:mails|(?:apps|users)\/[0-9a-f-]{36}\/mails)$/;

/** Sends a logged mail again, as a new one. */
@Controller('console/mails')
export class MailResendController {
  constructor(
    private readonly resends: MailResend,
    private readonly pages: ConsolePages,
  ) {}

  @Post(':mail_id/resend')
  @ConsolePage(MEMBERSHIP_PERMISSION.minimumRole, { ...MEMBERSHIP_PERMISSION, back: '/console/mails' })
  @HttpCode(303)
  async resend(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('mail_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const requested = fields['back'] ?? '';
    const back = BACK.test(requested) ? requested : '/console/mails';
    try {
      const email = await this.resends.resend(consoleRequest.ctx, id);
      const words = `A new e-mail to ${email} was queued. Earlier links no longer work.`;
      await this.pages.redirectWithFlash(consoleRequest, response, back, words);
    } catch (error) {
      const words = refusalInWords(error);
      await this.pages.redirectWithFlash(consoleRequest, response, back, words, 'warning');
    }
  }
}

/** @throws the error if there is no text for it */
function refusalInWords(error: unknown): string {
  if (!(error instanceof Refusal)) throw error;
  if (error instanceof RateLimited) {
    const wait = waitInEnglish(error.retryAfterSeconds);
    return `Not sent: too many e-mails were sent to this address or by this app. Try again in ${wait}.`;
  }
  if (error.kind !== 'conflict' || typeof error.detail !== 'string') throw error;
  return `Not sent: ${error.detail}.`;
}
