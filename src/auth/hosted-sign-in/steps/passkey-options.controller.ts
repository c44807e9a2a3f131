import { Controller, Header, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { Request } from 'express';
import { Browser } from '../../../common/http/access-marks.js';
import { NetworkLimit } from '../../../rate-limits/network-limit.js';
import { PasskeyAssertion } from '../../credentials/passkeys/passkey-assertion.service.js';
import { AttemptAccess } from '../attempt-access.js';
import { SignInService } from '../sign-in.service.js';
import { SignInExpired } from '../sign-in.errors.js';

/** What the script of a sign-in page asks for before the browser asks for a passkey. */
@ApiExcludeController()
@Controller('sign-in')
export class PasskeyOptionsController {
  constructor(
    private readonly access: AttemptAccess,
    private readonly signIns: SignInService,
    private readonly assertions: PasskeyAssertion,
  ) {}

  /** The same for every address and every user. @throws CrossSiteRequest, SignInExpired */
  @Post(':attempt_id/passkey/options')
  @Browser()
  @NetworkLimit('passkey_ip')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async options(
    @Param('attempt_id') attemptId: string,
    @Req() request: Request,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { state } = await this.access.openForForm(attemptId, request);
    if (!this.signIns.offered(state, 'passkey')) throw new SignInExpired();
    return this.assertions.options(`sign-in:${state.attempt.id}`);
  }
}
