import { Body, Controller, Header, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import type { Request } from 'express';
import { Browser } from '../../../../common/http/access-marks.js';
import { InvalidInput } from '../../../../common/validation/invalid-input.js';
import { NetworkLimit } from '../../../../rate-limits/network-limit.js';
import { FirstPasskey } from '../../../credentials/passkeys/ceremonies/first-passkey.service.js';
import { allowsMethod } from '../../../entry/methods/allows-method.rules.js';
import { AttemptAccess } from '../../attempts/attempt-access.js';
import { SignInService } from '../../completion/sign-in.service.js';
import { SignInExpired } from '../../authorization-request/sign-in.errors.js';
import { readSubmittedForm } from '../../pages/submitted-form.js';
import { judgeAccountForm, readAccountForm } from './account-form.js';

/** The WebAuthn options that the script of the sign-up page requests before the browser creates a passkey. */
@ApiExcludeController()
@Controller('sign-in')
export class SignUpPasskeyController {
  constructor(
    private readonly access: AttemptAccess,
    private readonly signIns: SignInService,
    private readonly passkeys: FirstPasskey,
  ) {}

  /** @throws CrossSiteRequest, SignInExpired, InvalidInput */
  @Post(':attempt_id/sign_up/options')
  @Browser()
  @NetworkLimit('passkey_ip')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  options(
    @Param('attempt_id') attemptId: string,
    @Body() body: unknown,
    @Req() request: Request,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    return this.optionsOf('sign_up', attemptId, body, request);
  }

  /**
   * The invite is only checked when the form is sent.
   * @throws CrossSiteRequest, SignInExpired, InvalidInput
   */
  @Post(':attempt_id/invited_sign_up/options')
  @Browser()
  @NetworkLimit('passkey_ip')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  invitedOptions(
    @Param('attempt_id') attemptId: string,
    @Body() body: unknown,
    @Req() request: Request,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    return this.optionsOf('invited_sign_up', attemptId, body, request);
  }

  /** Does not depend on whether the address has an account: none is looked up. */
  private async optionsOf(
    step: 'sign_up' | 'invited_sign_up',
    attemptId: string,
    body: unknown,
    request: Request,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { state } = await this.access.openForForm(attemptId, request);
    const { attempt, client } = state;
    if (!this.signIns.offered(state, step) || !allowsMethod(client.app, 'passkey')) throw new SignInExpired();
    const account = readAccountForm(readSubmittedForm(body));
    const errors = judgeAccountForm(account, false);
    if (errors.length > 0)
      throw new InvalidInput(
        errors.map(({ field }) => ({ loc: ['body', field!], msg: 'Value error', type: 'value_error' })),
      );
    return this.passkeys.options(account, `sign-up:${attempt.id}`, client.tenant);
  }
}
