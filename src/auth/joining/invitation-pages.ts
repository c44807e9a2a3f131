import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../common/i18n/message.js';
import { AppDirectory, type KnownApp } from '../../apps/app-directory.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { type FoundInvite, InviteRedemption } from '../../invites/invite-redemption.service.js';
import { inWords } from '../../invites/invite.rules.js';
import { InvalidInvite } from '../../invites/invites.errors.js';
import { UsersService } from '../../users/users.service.js';
import { appBrand } from '../../apps/app-brand.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { invitedRequest } from '../hosted-sign-in/authorization-request.js';
import { BrowserAttempts } from '../hosted-sign-in/browser-attempts.js';
import { BrowserBinding } from '../session/browser-binding.js';
import { offeredSteps } from '../hosted-sign-in/next-step.rules.js';
import { GuessLimit } from './guess-limit.js';

const PURPOSE = 'invite';

interface Invitation {
  readonly found: FoundInvite;
  readonly known: KnownApp;
}

/** The page behind a mailed invite: says what it is and leads on to the app's sign-in. It uses nothing up. */
@Injectable()
export class InvitationPages {
  constructor(
    private readonly invites: InviteRedemption,
    private readonly directory: AppDirectory,
    private readonly users: UsersService,
    private readonly sessions: SsoSessionsService,
    private readonly attempts: BrowserAttempts,
    private readonly guesses: GuessLimit,
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
  ) {}

  async show(ctx: RequestContext, code: string, request: Request, response: Response): Promise<void> {
    const invitation = await this.find(ctx, code);
    if (!invitation) return this.showSpent(response);
    const { known, found } = invitation;
    const { invite, secondsLeft } = found;
    const [session, inviter] = await Promise.all([
      this.sessions.find(request),
      invite.createdBy ? this.users.find(invite.createdBy) : null,
    ]);
    const signedIn = session && (await this.users.find(session.userId));
    const target = known.redirectUris[0];
    const roles = invite.roles.filter((role) => role !== 'user' && known.app.config.available_roles.includes(role));
    await this.pages.send(response, {
      view: 'sign-in/invitation',
      title: message('sign-in.invitation.title', { app: known.app.name }),
      brand: appBrand(known),
      formTargets: target === undefined ? [] : [target],
      model: {
        invitedBy: inviter?.displayName ?? null,
        email: invite.email,
        hasRoles: roles.length > 0,
        roles: roles.join(', '),
        holdsFor: inWords(secondsLeft),
        expiresAt: invite.expiresAt.toISOString(),
        continues: target !== undefined,
        signedInAs: signedIn?.email ?? null,
        mayCreateAccount: mayCreateAccount(known),
        code,
        formToken: this.browser.formToken(this.browser.ensure(request, response), PURPOSE),
      },
    });
  }

  /** The page's form: on to the hosted sign-in, which carries the code. */
  async proceed(
    ctx: RequestContext,
    { code, way }: { code: string; way: string },
    request: Request,
    response: Response,
  ): Promise<void> {
    this.browser.checkForm(request, PURPOSE);
    const invitation = await this.find(ctx, code);
    const target = invitation?.known.redirectUris[0];
    if (!invitation || target === undefined) return this.showSpent(response);
    const { known, found } = invitation;
    const asked = invitedRequest(target, code, found.invite.email);
    const staysSignedIn = way !== 'other' && way !== 'sign_up';
    const session = staysSignedIn ? await this.sessions.find(request) : null;
    const { id } = (await this.attempts.begin(known.app.id, asked, session, request, response)).attempt;
    const step = way === 'sign_up' && mayCreateAccount(known) ? '/invited_sign_up' : '';
    redirectTo(response, `/sign-in/${id}${step}`);
  }

  /** Null where it is spent or its app is off. A code that never was counts as a guess. @throws RateLimited */
  private async find(ctx: RequestContext, code: string): Promise<Invitation | null> {
    try {
      const found = await this.guesses.watch(ctx, async () => {
        const each = await this.invites.find(code);
        if (!each) throw new InvalidInvite();
        return each;
      });
      const known = found.status === 'usable' ? await this.directory.findOpen(found.invite.appId) : null;
      return known && { found, known };
    } catch (error) {
      if (error instanceof InvalidInvite) return null;
      throw error;
    }
  }

  private showSpent(response: Response): Promise<void> {
    const heading = message('sign-in.invitation.spent');
    return this.pages.send(response, {
      view: 'sign-in/link-spent',
      title: heading,
      status: 400,
      model: { heading, message: message('sign-in.invitation.spent_lead'), again: null },
    });
  }
}

function mayCreateAccount({ app }: KnownApp): boolean {
  return offeredSteps({ ...app, providers: app.config.allowed_providers }, true).includes('invited_sign_up');
}
