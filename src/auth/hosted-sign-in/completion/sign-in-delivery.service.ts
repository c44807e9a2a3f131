import { Inject, Injectable } from '@nestjs/common';
import { asksConsent, demandsPkce } from '../../../apps/settings/app-config.rules.js';
import type { RequestContext } from '../../../common/request-context.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { TokenIssuer } from '../../../tokens/grants/issuance/token-issuer.js';
import { DeviceSignIns } from '../../sign-in/device-sign-ins.js';
import { SignInEnding } from '../../sign-in/sign-in-ending.service.js';
import { SignInOver } from '../../sign-in/sign-in-over.js';
import {
  responseTo,
  type AuthorizationResponse,
  errorResponse,
} from '../authorization-request/authorization-response.rules.js';
import { deliversTokens } from '../authorization-request/authorization-request.rules.js';
import { AttemptFinisher, type IdentifiedState } from './attempt-finisher.js';

/**
 * The result of a hosted sign-in for the app. A redirect URI with http(s) gets a code, never a token. A native scheme
 * gets the tokens, unless `deliversTokens` requires a code (for example with PKCE) or users must consent to the app.
 */
@Injectable()
export class SignInDelivery {
  constructor(
    private readonly finisher: AttemptFinisher,
    private readonly ending: SignInEnding,
    private readonly issuer: TokenIssuer,
    private readonly devices: DeviceSignIns,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @returns the response for the app, or null if another request has finished the attempt or ended the session
   * @throws ProofOutdated, EntryRefused
   */
  async finish(ctx: RequestContext, state: IdentifiedState): Promise<AuthorizationResponse | null> {
    try {
      return await this.deliver(ctx, state);
    } catch (error) {
      if (error instanceof SignInOver) return null;
      throw error;
    }
  }

  private async deliver(ctx: RequestContext, state: IdentifiedState): Promise<AuthorizationResponse> {
    const { request } = state.attempt;
    if (request.purpose === 'account') return this.deliverAccount(ctx, state);
    if (request.purpose === 'device') return this.deliverDevice(ctx, state);
    // The sign-in began with an invite, or before the app required PKCE or pushed requests. The app must begin its own
    // sign-in, which the session then completes.
    const { config } = state.client.app;
    const lacksChallenge = demandsPkce(config) && request.codeChallenge === null;
    if (lacksChallenge || (config.require_par && !request.pushed))
      return errorResponse(request, 'login_required', this.settings.baseUrl);
    const givesTokens = deliversTokens(request, config) && !asksConsent(state.client.app);
    return givesTokens ? this.deliverTokens(ctx, state) : this.deliverCode(ctx, state);
  }

  /** The account page only needs the session. */
  private async deliverAccount(ctx: RequestContext, state: IdentifiedState): Promise<AuthorizationResponse> {
    await this.finisher.finish(state, (tx, held, signIn) => this.ending.giveSession(tx, ctx, held, signIn));
    return { redirectUri: state.attempt.request.redirectUri, mode: 'query', parameters: {} };
  }

  /** The device gets its tokens with its next poll. */
  private async deliverDevice(ctx: RequestContext, state: IdentifiedState): Promise<AuthorizationResponse> {
    const { redirectUri, device } = state.attempt.request;
    await this.finisher.finish(state, (tx, held, signIn) => this.devices.allow(tx, ctx, held, signIn, device!));
    return { redirectUri, mode: 'query', parameters: {} };
  }

  private async deliverCode(ctx: RequestContext, state: IdentifiedState): Promise<AuthorizationResponse> {
    const { request } = state.attempt;
    const { redirectUri, codeChallenge, dpopJkt = null } = request;
    const binding = { redirectUri, codeChallenge, dpopJkt };
    const code = await this.finisher.finish(state, (tx, held, signIn) =>
      this.ending.giveCode(tx, ctx, held, signIn, binding),
    );
    return responseTo(request, this.settings.baseUrl, { code });
  }

  private async deliverTokens(ctx: RequestContext, state: IdentifiedState): Promise<AuthorizationResponse> {
    const { grant } = await this.finisher.finish(state, (tx, held, signIn) =>
      this.ending.giveTokens(tx, ctx, held, signIn),
    );
    const { access_token, refresh_token } = await this.issuer.respond(grant, 'sign_in');
    return responseTo(state.attempt.request, this.settings.baseUrl, { access_token, refresh_token });
  }
}
