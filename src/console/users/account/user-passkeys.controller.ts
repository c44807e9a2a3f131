import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { UserPasskeysService } from '../../../admin/users/credentials/user-passkeys.service.js';
import { PasskeyNotFound } from '../../../auth/credentials/passkeys/stored/passkeys.errors.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { PasskeyWords } from './passkey-words.js';
import { questionAbout } from '../page/user-question.js';
import { UserPages } from '../page/user-pages.js';

/** Removes a passkey of a user: asks first. */
@Controller('console/users/:user_id/passkeys')
export class ConsoleUserPasskeysController {
  constructor(
    private readonly userPages: UserPages,
    private readonly passkeys: UserPasskeysService,
    private readonly words: PasskeyWords,
    private readonly pages: ConsolePages,
  ) {}

  @Get(':passkey_id/remove')
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('passkey_id') passkeyId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { user } = await this.userPages.find(consoleRequest, id);
    const found = await this.passkeys.list(consoleRequest.ctx, id);
    const passkey = found.find((each) => each.id === passkeyId);
    if (!passkey) throw new PasskeyNotFound();
    await this.pages.confirm(consoleRequest, response, {
      ...questionAbout(user, `passkeys/${passkey.id}/remove`),
      title: `Remove a passkey of ${user.displayName}?`,
      lead: 'Verify the user’s identity first. They can no longer sign in with it.',
      impact: [
        { label: 'Passkey', value: this.words.describe(passkey) },
        { label: 'Passkeys left', value: String(found.length - 1) },
        { label: 'Sessions and tokens', value: 'All are revoked' },
        { label: 'Notified', value: `${user.email}, by mail` },
      ],
      button: 'Remove passkey',
    });
  }

  @Post(':passkey_id/remove')
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  @HttpCode(303)
  async remove(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('passkey_id') passkeyId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.passkeys.remove(consoleRequest.ctx, id, passkeyId);
    const words = 'The passkey was removed. The user was signed out everywhere and notified by e-mail.';
    await this.pages.redirectWithFlash(consoleRequest, response, `/console/users/${id}/account`, words);
  }
}
