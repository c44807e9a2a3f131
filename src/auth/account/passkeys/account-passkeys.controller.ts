import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import {
  ApiFoundResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiSeeOtherResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { message } from '../../../common/i18n/message.js';
import type { RequestContext } from '../../../common/request-context.js';
import { cleanDisplayName } from '../../../users/display-name.rules.js';
import { PASSKEY_NAME_LENGTH } from '../../credentials/passkeys/stored/passkey.rules.js';
import { RelyingParty } from '../../credentials/passkeys/ceremonies/relying-party.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { AccountPage } from '../page/account-page.js';
import { AccountPasskeyPages, passkeyAgain } from './account-passkey-pages.js';
import { AccountVisits } from '../page/account-visits.js';
import { OwnPasskeys } from '../own/own-passkeys.service.js';

/** The pages of passkeys. Adding and removing one requires a sign-in in the last five minutes. */
@ApiTags('Account')
@Controller('account/passkeys')
@AccountPage()
export class AccountPasskeysController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly pages: AccountPasskeyPages,
    private readonly passkeys: OwnPasskeys,
    private readonly party: RelyingParty,
    private readonly sessions: SsoSessionsService,
  ) {}

  @Get('new')
  @Browser()
  @ApiOperation({
    summary: 'Add a passkey',
    description: 'Requires a sign-in from the last five minutes, and JavaScript.',
  })
  @ApiOkResponse({ description: 'HTML' })
  @ApiFoundResponse({
    description: 'Redirects to the sign-in, or to the account page if BASE_URL cannot have passkeys',
  })
  async showNew(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.enterFresh(ctx, request, response, 'passkeys/new');
    if (!visit) return;
    if (!this.party.isUsable) return this.visits.leaveWith(response, null);
    await this.pages.showNew(response, visit);
  }

  @Post('options')
  @Browser()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Get options for a new passkey',
    description: 'For `navigator.credentials.create` in this session. The challenge works once, for 5 minutes.',
  })
  @ApiOkResponse({ description: 'JSON: PublicKeyCredentialCreationOptionsJSON (WebAuthn Level 3)' })
  @ApiSeeOtherResponse({ description: 'Redirects to the sign-in' })
  async options(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submitFresh(ctx, request, response, 'passkeys/new');
    if (!visit) return;
    response.setHeader('Cache-Control', 'no-store');
    response.json(await this.passkeys.options(visit.holder));
  }

  @Post()
  @Browser()
  @HttpCode(303)
  @ApiOperation({ summary: 'Store a new passkey', description: 'Requires a sign-in from the last five minutes.' })
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  async add(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submitFresh(ctx, request, response, 'passkeys/new');
    if (!visit) return;
    try {
      const ssoToken = await this.passkeys.add(visit.holder, visit.fields['credential'] ?? '', request);
      if (ssoToken) this.sessions.send(response, ssoToken);
    } catch (error) {
      return this.pages.showNew(response, visit, passkeyAgain(error));
    }
    this.visits.leaveWith(response, 'passkey-added');
  }

  @Get(':passkey_id')
  @Browser()
  @ApiOperation({ summary: 'Show a passkey', description: 'Forms to rename and to remove the passkey.' })
  @ApiOkResponse({ description: 'HTML' })
  @ApiFoundResponse({ description: 'Redirects to the sign-in if there is no session' })
  @ApiNotFoundResponse({ description: '`Passkey not found`, also for passkeys of other users' })
  async showOne(
    @Ctx() ctx: RequestContext,
    @Param('passkey_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const visit = await this.visits.enter(ctx, request, response);
    if (visit) await this.pages.showOne(response, visit, id);
  }

  @Post(':passkey_id')
  @Browser()
  @HttpCode(303)
  @ApiOperation({ summary: 'Rename a passkey' })
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiNotFoundResponse({ description: '`Passkey not found`, also for passkeys of other users' })
  async rename(
    @Ctx() ctx: RequestContext,
    @Param('passkey_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const visit = await this.visits.submit(ctx, request, response);
    if (!visit) return;
    const { fields } = visit;
    const name = cleanDisplayName(fields['name'] ?? '');
    if (name === null || [...name].length > PASSKEY_NAME_LENGTH) {
      const advice = message('account.passkeys.name_missing', { max: PASSKEY_NAME_LENGTH });
      return this.pages.showOne(response, visit, id, {
        status: 422,
        errors: [{ field: 'name', message: advice }],
        fields,
      });
    }
    await this.passkeys.rename(visit.holder, id, name);
    this.visits.leaveWith(response, 'passkey-renamed');
  }

  @Post(':passkey_id/remove')
  @Browser()
  @HttpCode(303)
  @ApiOperation({ summary: 'Remove a passkey', description: 'Requires a sign-in from the last five minutes.' })
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiNotFoundResponse({ description: '`Passkey not found`, also for passkeys of other users' })
  async remove(
    @Ctx() ctx: RequestContext,
    @Param('passkey_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const visit = await this.visits.submitFresh(ctx, request, response, null);
    if (!visit) return;
    await this.passkeys.remove(visit.holder, id);
    this.visits.leaveWith(response, 'passkey-removed');
  }
}
