import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../../common/i18n/message.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import type { RequestContext } from '../../../common/request-context.js';
import { leftInWords } from '../../../common/pages/durations.js';
import { UsersService } from '../../../users/users.service.js';
import { appBrand } from '../../../apps/directory/app-brand.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { Invitations, mayCreateAccount } from './invitations.js';
import { BrowserBinding } from '../../session/browser-binding.js';

/** Purpose of the form's token. */
export const INVITATION_PURPOSE = 'invite';

/**
 * The page behind a mailed invite: shows what the invite is for and continues to the app's sign-in. Opening it does not
 * use up the invite.
 */
@Injectable()
export class InvitationPages {
  constructor(
    private readonly invitations: Invitations,
    private readonly users: UsersService,
    private readonly sessions: SsoSessionsService,
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
  ) {}

  async show(ctx: RequestContext, code: string, request: Request, response: Response): Promise<void> {
    const invitation = await this.invitations.find(ctx, code);
    if (!invitation) return this.showSpent(response);
    const { client, found } = invitation;
    const { invite, secondsLeft } = found;
    const [session, inviter] = await Promise.all([
      this.sessions.find(request),
      invite.createdBy ? this.users.find(invite.createdBy) : null,
    ]);
    const signedIn = session && (await this.users.find(session.userId));
    const target = client.redirectUris[0];
    const roles = invite.roles.filter((role) => role !== 'user' && client.app.config.available_roles.includes(role));
    await this.pages.send(response, {
      view: 'sign-in/invitation',
      title: message('sign-in.invitation.title', { app: client.app.name }),
      brand: appBrand(client),
      formTargets: target === undefined ? [] : [target],
      model: {
        invitedBy: inviter?.displayName ?? null,
        email: invite.email,
        hasRoles: roles.length > 0,
        roles: roles.join(', '),
        ends: {
          words: leftInWords(secondsLeft),
          iso: invite.expiresAt.toISOString(),
          utc: invite.expiresAt.toUTCString(),
        },
        continues: target !== undefined,
        signedInAs: signedIn?.email ?? null,
        mayCreateAccount: mayCreateAccount(client),
        code,
        formToken: this.browser.formToken(this.browser.ensure(request, response), INVITATION_PURPOSE),
      },
    });
  }

  showSpent(response: Response): Promise<void> {
    const heading = message('sign-in.invitation.spent');
    const action = { href: '/account', label: message('sign-in.go_to_your_account') };
    return this.pages.send(response, {
      view: 'sign-in/link-spent',
      title: heading,
      status: 400,
      model: { heading, message: message('sign-in.invitation.spent_lead'), again: null, action },
    });
  }
}
