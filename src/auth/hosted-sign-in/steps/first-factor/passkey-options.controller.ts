import { Controller, Header, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import type { Request } from 'express';
import { Browser } from '../../../../common/http/access-marks.js';
import { NetworkLimit } from '../../../../rate-limits/network-limit.js';
import { PasskeyAssertion } from '../../../credentials/passkeys/ceremonies/passkey-assertion.service.js';
import { PasskeyFactors } from '../../../credentials/passkeys/offers/passkey-factors.service.js';
import { PasskeyRegistration } from '../../../credentials/passkeys/ceremonies/passkey-registration.service.js';
import { isKeyAlone } from '../../../credentials/passkeys/stored/passkey.rules.js';
import { AttemptAccess } from '../../attempts/attempt-access.js';
import { SignInService } from '../../completion/sign-in.service.js';
import { SignInExpired } from '../../authorization-request/sign-in.errors.js';

/** The WebAuthn options that the script of a sign-in page requests before the browser asks for a passkey. */
@ApiExcludeController()
@Controller('sign-in')
export class PasskeyOptionsController {
  constructor(
    private readonly access: AttemptAccess,
    private readonly signIns: SignInService,
    private readonly assertions: PasskeyAssertion,
    private readonly factors: PasskeyFactors,
    private readonly registration: PasskeyRegistration,
  ) {}

  /**
   * Options to sign in with any passkey; they do not depend on an address or a user.
   * @throws CrossSiteRequest, SignInExpired
   */
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

  /**
   * Options for the second factor: the passkeys of the user who has shown the first one.
   * @throws CrossSiteRequest, SignInExpired
   */
  @Post(':attempt_id/second_factor/options')
  @Browser()
  @NetworkLimit('passkey_ip')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async secondFactor(
    @Param('attempt_id') attemptId: string,
    @Req() request: Request,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { state } = await this.access.openForForm(attemptId, request);
    const { attempt, client, user } = state;
    const step = this.signIns.step('second_factor');
    const needsPasskey = user && step && this.signIns.isDue(step, state) && !isKeyAlone(attempt.amr);
    const passkeys = needsPasskey ? await this.factors.listForSecondFactor(user, client.tenant) : [];
    if (passkeys.length === 0) throw new SignInExpired();
    return this.assertions.options(`second-factor:${attempt.id}`, passkeys);
  }

  /**
   * Options to create a passkey, for the user who has just signed in.
   * @throws CrossSiteRequest, SignInExpired
   */
  @Post(':attempt_id/offer_passkey/options')
  @Browser()
  @NetworkLimit('passkey_ip')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async creation(
    @Param('attempt_id') attemptId: string,
    @Req() request: Request,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { state } = await this.access.openForForm(attemptId, request);
    const { attempt, user } = state;
    const step = this.signIns.step('offer_passkey');
    if (!user || !step || !this.signIns.isDue(step, state)) throw new SignInExpired();
    return this.registration.options(user, `register:${attempt.id}`);
  }
}
