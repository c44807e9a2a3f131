import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { JobHandler } from '../../delivery/worker/job-handler.js';
import type { Jobs } from '../../delivery/outbox/jobs.js';
import { PermanentFailure } from '../../delivery/outbox/permanent-failure.js';
import { RetryLater } from '../../delivery/outbox/retry-later.js';
import { OutboundHttp } from '../../outbound/outbound-http.js';
import { TargetRefused } from '../../outbound/outbound.errors.js';
import { TokenSigner } from '../jwt/token-signer.js';
import { judgeLogoutAnswer } from './logout-answer.rules.js';

const HEADERS = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: '*/*' };

/** Sends one logout token (Back-Channel Logout sections 2.4 and 2.5); a new one for each attempt. */
@Injectable()
export class LogoutNoticeHandler extends JobHandler<'tokens.logout_notice'> {
  readonly job = 'tokens.logout_notice';

  constructor(
    private readonly directory: AppDirectory,
    private readonly signer: TokenSigner,
    private readonly outbound: OutboundHttp,
  ) {
    super();
  }

  async handle({ appId, userId, sid }: Jobs['tokens.logout_notice']): Promise<void> {
    const client = await this.directory.findOpen(appId);
    const address = client?.app.config.backchannel_logout_uri;
    // The app was switched off or has removed its logout URI in the meantime.
    if (!address) return;
    const token = await this.signer.signLogout({ sub: userId, aud: appId, ...(sid ? { sid } : {}) });
    const { status, retryAfter } = await this.send(address, token);
    switch (judgeLogoutAnswer(status)) {
      case 'received':
        return;
      case 'refused':
        throw new PermanentFailure(`The app answered ${status}`);
      case 'again':
        if (retryAfter !== null) throw new RetryLater(retryAfter, `The app answered ${status}`);
        throw new Error(`The app answered ${status}`);
    }
  }

  private async send(address: string, token: string) {
    try {
      return await this.outbound.post(address, HEADERS, new URLSearchParams({ logout_token: token }).toString());
    } catch (error) {
      if (error instanceof TargetRefused) throw new PermanentFailure(error.message);
      throw error;
    }
  }
}
