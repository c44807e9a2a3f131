import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { redirectTo } from '../../../common/http/redirect-to.js';
import type { RequestContext } from '../../../common/request-context.js';
import { invitedRequest } from '../../hosted-sign-in/authorization-request/authorization-request.js';
import { BrowserAttempts } from '../../hosted-sign-in/attempts/browser-attempts.js';
import { BrowserBinding } from '../../session/browser-binding.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { INVITATION_PURPOSE, InvitationPages } from './invitation-pages.js';
import { Invitations, mayCreateAccount } from './invitations.js';

/** The form on the page of an invite. */
@Injectable()
export class InvitationForm {
  constructor(
    private readonly invitations: Invitations,
    private readonly pages: InvitationPages,
    private readonly sessions: SsoSessionsService,
    private readonly attempts: BrowserAttempts,
    private readonly browser: BrowserBinding,
  ) {}

  /** Continues to the hosted sign-in, whose request contains the code. */
  async proceed(
    ctx: RequestContext,
    { code, way }: { code: string; way: string },
    request: Request,
    response: Response,
  ): Promise<void> {
    this.browser.checkForm(request, INVITATION_PURPOSE);
    const invitation = await this.invitations.find(ctx, code);
    const target = invitation?.client.redirectUris[0];
    if (!invitation || target === undefined) return this.pages.showSpent(response);
    const { client, found } = invitation;
    const requested = invitedRequest(target, code, found.invite.email);
    const staysSignedIn = way !== 'other' && way !== 'sign_up';
    const session = staysSignedIn ? await this.sessions.find(request) : null;
    const { id } = (await this.attempts.begin(client.app.id, requested, session, request, response)).attempt;
    const step = way === 'sign_up' && mayCreateAccount(client) ? '/invited_sign_up' : '';
    redirectTo(response, `/sign-in/${id}${step}`);
  }
}
