import { Body, Controller, Get, Header, HttpCode, Inject, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiQuery,
  ApiSeeOtherResponse,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser, Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import { Refusal } from '../../common/refusal.js';
import type { RequestContext } from '../../common/request-context.js';
import { Text, Uuid } from '../../common/validation/fields.js';
import { PROVIDER_LABELS } from '../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { InvalidInvite, InviteNotForThisEmail } from '../../invites/invites.errors.js';
import { cleanDisplayName, DISPLAY_NAME_LENGTH } from '../../users/display-name.rules.js';
import { OwnOriginGuard } from '../access/own-origin.guard.js';
import { appBrand } from '../../apps/app-brand.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { backUri } from '../sign-in/authorization-answer.rules.js';
import { BrowserBinding } from '../sign-in/browser-binding.js';
import { LastMethod } from '../sign-in/last-method.js';
import { SignInExpired } from '../sign-in/sign-in.errors.js';
import { type PendingInvitation, ProviderInvites } from './provider-invites.service.js';
import { InvalidOauthToken } from './provider.errors.js';
import { redirect } from './redirect.js';

const PURPOSE = 'provider-invite';

class InviteAcceptRequest {
  @Text({ min: 1, max: 128, secret: true, description: 'Pending identity, of this browser' })
  oauth_token: string;

  @Uuid()
  app_id: string;

  @Text({ min: 1, max: 64, description: 'Case, blanks and hyphens do not matter' })
  invite_code: string;

  @Text({ min: 1, max: 200 })
  display_name: string;
}

class InviteAcceptedView {
  @ApiProperty({ format: 'uri', description: 'To the app as from /login, or to the page that is due before' })
  redirect: string;
}

/** An invite accepted by somebody new whom a provider has vouched for: over JSON, and on the page that leads there. */
@ApiTags('External identity providers')
@Controller('oauth')
export class InviteAcceptController {
  constructor(
    private readonly invites: ProviderInvites,
    private readonly sessions: SsoSessionsService,
    private readonly browser: BrowserBinding,
    private readonly lastMethod: LastMethod,
    private readonly pages: PageRenderer,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post('invite-accept')
  @Public()
  @UseGuards(OwnOriginGuard)
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Accept an invite with an external identity' })
  @ApiOkResponse({ type: InviteAcceptedView })
  @ApiBadRequestResponse({
    description:
      '`Invalid or expired oauth_token`, `Invalid app_id`, `Invalid or expired invite`, `Invite not valid for this e-mail`, `Account already exists`',
  })
  @ApiForbiddenResponse({ description: 'From a page of another origin' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  async accept(
    @Ctx() ctx: RequestContext,
    @Body() input: InviteAcceptRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<InviteAcceptedView> {
    const { attempt, ssoToken } = await this.invites.accept(ctx, {
      oauthToken: input.oauth_token,
      browserHashes: this.hashesOf(request),
      appId: input.app_id,
      code: input.invite_code,
      displayName: input.display_name,
      presentedSession: this.sessions.presented(request),
    });
    if (ssoToken) this.sessions.send(response, ssoToken);
    return { redirect: await this.invites.onward(ctx, attempt) };
  }

  @Get('invite')
  @Browser()
  @ApiOperation({ summary: 'Page: accept an invite with an external identity', description: 'Uses nothing up.' })
  @ApiQuery({ name: 'oauth_token', required: true })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'Page: token missing, used, too old, or of another browser' })
  async show(@Query('oauth_token') token: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const invitation = await this.find(token, request);
    const { pending, attempt } = invitation;
    const form = { code: attempt.request.inviteCode ?? '', displayName: cleanDisplayName(pending.displayName) ?? '' };
    await this.showForm(request, response, invitation, token as string, form, null);
  }

  @Post('invite')
  @Browser()
  @HttpCode(303)
  @ApiOperation({ summary: 'The page’s form' })
  @ApiSeeOtherResponse({ description: 'On with the sign-in' })
  async submit(
    @Ctx() ctx: RequestContext,
    @Body() body: Record<string, unknown> | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    this.browser.checkForm(request, PURPOSE);
    const text = (name: string) => (typeof body?.[name] === 'string' ? body[name].trim() : '');
    const token = text('oauth_token');
    const invitation = await this.find(token, request);
    const form = { code: text('code').slice(0, 64), displayName: text('display_name').slice(0, 1000) };
    const displayName = cleanDisplayName(form.displayName);
    if (displayName === null || [...form.displayName].length > DISPLAY_NAME_LENGTH) {
      const error = { status: 422, field: 'display_name', message: 'Enter your name, at most 200 characters.' };
      return this.showForm(request, response, invitation, token, form, error);
    }
    if (form.code === '') {
      const error = { status: 422, field: 'code', message: 'Enter the code of your invitation.' };
      return this.showForm(request, response, invitation, token, form, error);
    }
    try {
      const { attempt, ssoToken } = await this.invites.accept(ctx, {
        oauthToken: token,
        browserHashes: this.hashesOf(request),
        appId: null,
        code: form.code,
        displayName,
        presentedSession: this.sessions.presented(request),
      });
      if (ssoToken) this.sessions.send(response, ssoToken);
      this.lastMethod.remember(response, invitation.pending.provider);
      redirect(response, `/sign-in/${attempt.id}`, 303);
    } catch (error) {
      if (!(error instanceof Refusal) || !['bad_request', 'too_many_requests'].includes(error.kind)) throw error;
      const status = error.kind === 'bad_request' ? 400 : 429;
      const message = WORDS[error.code] ?? 'That did not work. Try again later.';
      const field = isAboutInvite(error) ? 'code' : null;
      await this.showForm(request, response, invitation, token, form, { status, field, message });
    }
  }

  private async showForm(
    request: Request,
    response: Response,
    invitation: PendingInvitation,
    oauthToken: string,
    { code, displayName }: { code: string; displayName: string },
    error: { status: number; field: string | null; message: string } | null,
  ): Promise<void> {
    const { pending, attempt, known } = invitation;
    await this.pages.send(response, {
      view: 'sign-in/provider-invite',
      title: `Join ${known.app.name}`,
      status: error?.status ?? 200,
      brand: appBrand(known),
      formTargets: [attempt.request.redirectUri],
      model: {
        label: PROVIDER_LABELS[pending.provider],
        email: pending.email,
        displayName,
        code,
        // Who brings a code has nothing to type, unless it is not taken.
        asksForCode: attempt.request.inviteCode === null || error?.field === 'code',
        backUrl: backTo(invitation, error?.field === 'code' && code !== '', this.settings.baseUrl),
        oauthToken,
        action: '/oauth/invite',
        formToken: this.browser.formToken(this.browser.read(request)!, PURPOSE),
        errors: error ? [{ field: error.field, message: error.message }] : [],
      },
    });
  }

  /** @throws SignInExpired */
  private async find(token: unknown, request: Request): Promise<PendingInvitation> {
    try {
      return await this.invites.get(typeof token === 'string' ? token : '', this.hashesOf(request));
    } catch (error) {
      throw error instanceof InvalidOauthToken ? new SignInExpired() : error;
    }
  }

  /** @throws InvalidOauthToken where the browser is none that we know */
  private hashesOf(request: Request): Buffer[] {
    if (!this.browser.read(request)) throw new InvalidOauthToken();
    return this.browser.readHashes(request);
  }
}

function isAboutInvite(error: Refusal): boolean {
  return error instanceof InvalidInvite || error instanceof InviteNotForThisEmail;
}

/** Back to the app with the reason; the console has nothing to show to somebody who is not signed in. */
function backTo({ attempt, known }: PendingInvitation, wasRefused: boolean, issuer: string): string | null {
  if (known.app.isConsoleApp) return null;
  return backUri(attempt, wasRefused ? 'invalid_invite' : 'registration_closed', issuer);
}

/** By code of the refusal. */
const WORDS: Readonly<Record<string, string>> = {
  invalid_invite: 'This code is not valid here, or not any more. Check it, or ask for a new invitation.',
  invite_not_for_this_email:
    'This invitation was sent to another address. Sign in with the account that has that address.',
  account_already_exists: 'There is an account with this address by now. Go back to the app and sign in.',
  rate_limited: 'Too many attempts. Wait a few minutes, then try again.',
};
