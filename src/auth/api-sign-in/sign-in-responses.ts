import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Response } from 'express';
import type { TokenResponse } from '../../tokens/protocol/token-response.view.js';
import type { DirectSignInResult } from './direct-sign-in.service.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';

export class TotpRequiredView {
  @ApiProperty({ enum: ['totp_required'] }) status: 'totp_required';
  @ApiProperty({ description: 'For POST /auth/totp/verify; five minutes, one use' }) totp_session: string;
}

/** Body of a sign-in by JSON. */
export type SignInResponse = TokenResponse | TotpRequiredView;

/** Turns the outcome of a sign-in by JSON into its body and its cookie. */
@Injectable()
export class SignInResponses {
  constructor(private readonly sessions: SsoSessionsService) {}

  send(response: Response, answer: DirectSignInResult): SignInResponse {
    if ('totpSession' in answer) return { status: 'totp_required', totp_session: answer.totpSession };
    if (answer.ssoToken !== null) this.sessions.send(response, answer.ssoToken);
    return answer.tokens;
  }
}
