import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { appBrand } from '../../../apps/directory/app-brand.js';
import { message, type Text } from '../../../common/i18n/message.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import { PROVIDER_LABELS } from '../../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { backUri } from '../../hosted-sign-in/authorization-request/authorization-response.rules.js';
import { BrowserBinding } from '../../session/browser-binding.js';
import type { PendingInvitation } from './pending-invitations.service.js';

/** Purpose of the form token. */
export const INVITE_PAGE_PURPOSE = 'provider-invite';

/** Shows the form with which a new user whom a provider has authenticated accepts an invite. */
@Injectable()
export class InvitePage {
  constructor(
    private readonly pages: PageRenderer,
    private readonly browser: BrowserBinding,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async show(
    request: Request,
    response: Response,
    invitation: PendingInvitation,
    oauthToken: string,
    { code, displayName }: { code: string; displayName: string },
    error: { status: number; field: string | null; message: Text } | null,
  ): Promise<void> {
    const { pending, attempt, client } = invitation;
    await this.pages.send(response, {
      view: 'sign-in/provider-invite',
      title: message('sign-in.join.join', { app: client.app.name }),
      status: error?.status ?? 200,
      brand: appBrand(client),
      formTargets: [attempt.request.redirectUri],
      model: {
        label: PROVIDER_LABELS[pending.provider],
        email: pending.email,
        displayName,
        code,
        // If the request contained a code, the user need not type one, unless it was refused.
        asksForCode: attempt.request.inviteCode === null || error?.field === 'code',
        backUrl: backTo(invitation, error?.field === 'code' && code !== '', this.settings.baseUrl),
        oauthToken,
        action: '/oauth/invite',
        formToken: this.browser.formToken(this.browser.read(request)!, INVITE_PAGE_PURPOSE),
        errors: error ? [{ field: error.field, message: error.message }] : [],
      },
    });
  }
}

/**
 * The URL back to the app, with the reason as an error. Null for a Console app, which has no page for users who are not
 * signed in.
 */
function backTo({ attempt, client }: PendingInvitation, wasRefused: boolean, issuer: string): string | null {
  if (client.app.isConsoleApp) return null;
  return backUri(attempt, wasRefused ? 'invalid_invite' : 'registration_closed', issuer);
}
