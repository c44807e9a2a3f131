import { Controller, Delete, Get, Param } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { AuthenticatorModels } from '../../../auth/credentials/passkeys/stored/authenticator-models.js';
import { Requires } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { StatusView } from '../../../common/http/status.view.js';
import type { RequestContext } from '../../../common/request-context.js';
import { PasskeyView, passkeyView } from './passkey.view.js';
import { UserPasskeysService } from './user-passkeys.service.js';

/** The passkeys of an account, for platform admins. */
@ApiTags('Admin: users')
@ApiBearerAuth()
@Controller('admin/users/:user_id/passkeys')
export class UserPasskeysController {
  constructor(
    private readonly passkeys: UserPasskeysService,
    private readonly models: AuthenticatorModels,
  ) {}

  @Get()
  @Requires({ minimumRole: 'platform_admin' })
  @ApiOperation({
    summary: 'List the passkeys of a user',
    description: 'Oldest first, at most 20. The response never contains keys.',
  })
  @ApiOkResponse({ type: [PasskeyView] })
  @ApiNotFoundResponse({ description: '`User not found`' })
  async list(@Ctx() ctx: RequestContext, @Param('user_id') userId: string): Promise<PasskeyView[]> {
    const found = await this.passkeys.list(ctx, userId);
    return found.map((passkey) => passkeyView(passkey, this.models.nameOf(passkey.aaguid)));
  }

  @Delete(':passkey_id')
  @Requires({ minimumRole: 'platform_admin', recentSignIn: 'always' })
  @ApiOperation({
    summary: 'Remove a passkey of a user',
    description:
      'Ends the sessions and tokens of the user and sends a notice by e-mail. Remove your own passkeys on the account page.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({ description: '`Use /account for your own passkeys`' })
  @ApiNotFoundResponse({ description: '`User not found`, `Passkey not found`' })
  async remove(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Param('passkey_id') passkeyId: string,
  ): Promise<StatusView> {
    await this.passkeys.remove(ctx, userId, passkeyId);
    return { status: 'ok' };
  }
}
