import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiSeeOtherResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { message, type Text } from '../../../common/i18n/message.js';
import { Browser } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { Refusal } from '../../../common/refusal.js';
import type { RequestContext } from '../../../common/request-context.js';
import { InvalidInvite, InviteNotForThisEmail } from '../../../invites/invite/invites.errors.js';
import { cleanDisplayName, judgeDisplayName } from '../../../users/display-name.rules.js';
import { BrowserBinding } from '../../session/browser-binding.js';
import { LastMethod } from '../../session/last-method.js';
import { SignInExpired } from '../../hosted-sign-in/authorization-request/sign-in.errors.js';
import { INVITE_PAGE_PURPOSE, InvitePage } from './invite-page.js';
import { type PendingInvitation, PendingInvitations } from './pending-invitations.service.js';
import { InvalidOauthToken } from '../pending/provider.errors.js';
import { ProviderInvites } from './provider-invites.service.js';
import { redirectTo } from '../../../common/http/redirect-to.js';

/** The page on which a new user whom a provider has authenticated accepts an invite. */
@ApiTags('External identity providers')
@Controller('oauth')
export class InvitePageController {
  constructor(
    private readonly invites: ProviderInvites,
    private readonly invitations: PendingInvitations,
    private readonly browser: BrowserBinding,
    private readonly lastMethod: LastMethod,
    private readonly page: InvitePage,
  ) {}

  @Get('invite')
  @Browser()
  @ApiOperation({
    summary: 'Show the page to accept an invite with an external identity',
    description: 'Opening the page does not use up the invite.',
  })
  @ApiQuery({ name: 'oauth_token', required: true })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'Error page: the token is missing, used, expired, or from another browser' })
  async show(@Query('oauth_token') token: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const invitation = await this.find(token, request);
    const { pending, attempt } = invitation;
    const form = { code: attempt.request.inviteCode ?? '', displayName: cleanDisplayName(pending.displayName) ?? '' };
    await this.page.show(request, response, invitation, token as string, form, null);
  }

  @Post('invite')
  @Browser()
  @HttpCode(303)
  @ApiOperation({ summary: 'Accept an invite on the page for external identities' })
  @ApiSeeOtherResponse({ description: 'Redirects to the next step of the sign-in' })
  async submit(
    @Ctx() ctx: RequestContext,
    @Body() body: Record<string, unknown> | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    this.browser.checkForm(request, INVITE_PAGE_PURPOSE);
    const text = (name: string) => (typeof body?.[name] === 'string' ? body[name].trim() : '');
    const token = text('oauth_token');
    const invitation = await this.find(token, request);
    const form = { code: text('code').slice(0, 64), displayName: text('display_name').slice(0, 1000) };
    if (judgeDisplayName(form.displayName) !== 'ok') {
      const error = { status: 422, field: 'display_name', message: message('sign-in.provider_invite.enter_name') };
      return this.page.show(request, response, invitation, token, form, error);
    }
    if (form.code === '') {
      const error = { status: 422, field: 'code', message: message('sign-in.provider_invite.enter_code') };
      return this.page.show(request, response, invitation, token, form, error);
    }
    try {
      const accepted = { oauthToken: token, appId: null, ...form };
      const attempt = await this.invites.accept(ctx, accepted, request, response);
      this.lastMethod.remember(response, invitation.pending.provider);
      redirectTo(response, `/sign-in/${attempt.id}`, 303);
    } catch (error) {
      if (!(error instanceof Refusal) || !['bad_request', 'too_many_requests'].includes(error.kind)) throw error;
      const status = error.kind === 'bad_request' ? 400 : 429;
      const said = WORDS[error.code] ?? message('sign-in.provider_invite.failed');
      const field = isAboutInvite(error) ? 'code' : null;
      await this.page.show(request, response, invitation, token, form, { status, field, message: said });
    }
  }

  /** @throws SignInExpired if the token is invalid */
  private async find(token: unknown, request: Request): Promise<PendingInvitation> {
    try {
      return await this.invitations.get(typeof token === 'string' ? token : '', request);
    } catch (error) {
      throw error instanceof InvalidOauthToken ? new SignInExpired() : error;
    }
  }
}

function isAboutInvite(error: Refusal): boolean {
  return error instanceof InvalidInvite || error instanceof InviteNotForThisEmail;
}

/** Messages by the code of the refusal. */
const WORDS: Readonly<Record<string, Text>> = {
  invalid_invite: message('sign-in.provider_invite.invalid'),
  invite_not_for_this_email: message('sign-in.provider_invite.other_address'),
  account_already_exists: message('sign-in.provider_invite.account_exists'),
  rate_limited: message('sign-in.provider_invite.rate_limited'),
};
