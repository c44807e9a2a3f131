import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiConsumes,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { ClientIds } from '../../apps/self-registered/client-ids.service.js';
import { Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { ClientAuthenticator } from '../clients/client-authenticator.js';
import { DeviceAuthorizations } from '../grants/device/device-authorizations.service.js';
import { DeviceAuthorizationRequest } from '../protocol/token.dto.js';
import { DeviceAuthorizationResponse } from '../protocol/token-response.view.js';
import { InvalidClient, InvalidTarget } from '../protocol/tokens.errors.js';
import { presentedClient } from './clients/presented-client.js';

/** Public, because the client authenticates itself, or is identified by its id alone. */
@ApiTags('Tokens and discovery')
@Controller('auth/device-authorization')
export class DeviceAuthorizationController {
  constructor(
    private readonly authenticator: ClientAuthenticator,
    private readonly devices: DeviceAuthorizations,
    private readonly clientIds: ClientIds,
  ) {}

  @Post()
  @Public()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Start a device sign-in (RFC 8628)',
    description:
      'For devices without a browser or a keyboard. Show `user_code` and `verification_uri` to the user, and poll /auth/token with `device_code`. The app must have `config.device_grant` turned on.',
  })
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiOkResponse({ type: DeviceAuthorizationResponse })
  @ApiBadRequestResponse({
    description:
      '`unauthorized_client`: `device_grant` is not turned on for the app; `invalid_target`, `invalid_scope`',
  })
  @ApiUnauthorizedResponse({ description: '`invalid_client`' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`: limit `device_requests`' })
  async begin(
    @Ctx() ctx: RequestContext,
    @Body() input: DeviceAuthorizationRequest,
    @Headers('authorization') authorization?: string,
  ): Promise<DeviceAuthorizationResponse> {
    const shown = presentedClient(input, authorization);
    const presented = { ...shown, clientId: await this.clientIds.begin(ctx, shown.clientId, input.resource) };
    const client = await this.authenticator.identify(ctx, presented);
    if (!client)
      throw (await this.clientIds.isRefusedFor(input.resource, shown.clientId, presented.clientId))
        ? new InvalidTarget()
        : new InvalidClient();
    const isProven = presented.proof !== null;
    return this.devices.begin(ctx, client, {
      scope: input.scope || null,
      resource: input.resource || null,
      isProven,
    });
  }
}
