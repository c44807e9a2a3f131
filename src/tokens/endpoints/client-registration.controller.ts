import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import { registeredMetadata } from '../../apps/app/client-registration.rules.js';
import { NewRegistrations } from '../../apps/self-registered/new-registrations.service.js';
import { Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';

/** Only for the OpenAPI document: invalid metadata causes errors of RFC 7591. */
class ClientMetadata {
  @ApiProperty({
    type: [String],
    example: ['http://127.0.0.1/callback'],
    description: 'Up to 20, with the same rules as in a client metadata document',
  })
  redirect_uris: readonly string[];
  @ApiPropertyOptional({ description: '`none`; the two methods with a secret are replaced by `none`' })
  token_endpoint_auth_method?: string;
  @ApiPropertyOptional({ type: [String], description: 'authorization_code and refresh_token; others are ignored' })
  grant_types?: string[];
  @ApiPropertyOptional({ type: [String], example: ['code'] }) response_types?: string[];
  @ApiPropertyOptional({ maxLength: 100, description: 'Shown to users as the name that the client gives itself' })
  client_name?: string;
}

class ClientInformation extends ClientMetadata {
  @ApiProperty({ example: 'reg_0197b1c4-…' }) client_id: string;
  @ApiProperty({ description: 'Unix time' }) client_id_issued_at: number;
}

/** RFC 7591. Public, because a new client has no credentials. */
@ApiTags('Tokens and discovery')
@Controller('auth/register')
export class ClientRegistrationController {
  constructor(private readonly registrations: NewRegistrations) {}

  @Post()
  @Public()
  @HttpCode(201)
  @ApiOperation({
    summary: 'Register a client (RFC 7591)',
    description:
      'For clients without a secret, if a tenant has turned on `client_registration`. The client must sign a user in within a day; it then belongs to the tenant of the `resource` of that sign-in. Registrations cannot be changed or read later (no RFC 7592).',
  })
  @ApiBody({ type: ClientMetadata })
  @ApiCreatedResponse({ type: ClientInformation })
  @ApiBadRequestResponse({ description: '`invalid_redirect_uri`, `invalid_client_metadata`' })
  @ApiNotFoundResponse({ description: '`Dynamic client registration is turned off`: no tenant has turned it on' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`: limit `client_registrations`' })
  async register(@Ctx() ctx: RequestContext, @Body() body: unknown): Promise<ClientInformation> {
    const registered = await this.registrations.register(ctx, body);
    return {
      client_id: registered.clientId,
      client_id_issued_at: Math.floor(registered.issuedAt.getTime() / 1000),
      ...registeredMetadata(registered),
    };
  }
}
