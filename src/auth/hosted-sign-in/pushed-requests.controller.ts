import { Body, Controller, Header, Headers, HttpCode, Post } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { Text } from '../../common/validation/fields.js';
import { ClientAuthenticator } from '../../tokens/clients/client-authenticator.js';
import { presentedClient } from '../../tokens/endpoints/presented-client.js';
import { InvalidClient } from '../../tokens/protocol/tokens.errors.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import type { RawParameters } from './authorization-request.rules.js';
import { type PushedRequestAnswer, PushedRequests } from './pushed-requests.service.js';

class PushedRequestView {
  @ApiProperty({ example: 'urn:ietf:params:oauth:request_uri:GjZ…' }) request_uri: string;
  @ApiProperty({ description: 'Seconds', example: 60 }) expires_in: number;
}

/** Only for the description: what belongs to a request is read as at `/login`. */
class PushedRequestBody {
  @Text({ optional: true, max: 128, description: 'App id; or HTTP Basic' }) client_id?: string;
  @Text({ optional: true, max: 512, description: 'Or HTTP Basic' }) client_secret?: string;
  @Text({ max: 2048, description: 'And all other parameters of GET /login' }) redirect_uri: string;
}

/** RFC 9126. Marked public because the client proves itself by its secret and not by a bearer token. */
@ApiTags('Sign-in')
@Controller('auth/par')
export class PushedRequestsController {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly requests: PushedRequests,
  ) {}

  @Post()
  @Public()
  @HttpCode(201)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Push an authorization request (RFC 9126)',
    description:
      'Takes the parameters of GET /login. Then send the browser to /login with client_id and the request_uri of the answer, once, within a minute.',
  })
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiBody({ type: PushedRequestBody })
  @ApiCreatedResponse({ type: PushedRequestView })
  @ApiBadRequestResponse({ description: '`invalid_request` and the other errors that /login sends to the app' })
  @ApiUnauthorizedResponse({ description: '`invalid_client`' })
  @ApiTooManyRequestsResponse({
    description: '`too_many_requests`: limit `pushed_requests`, or `login_page_ip` without a secret',
  })
  async push(
    @Ctx() ctx: RequestContext,
    @Body() body: RawParameters,
    @Headers('authorization') authorization?: string,
  ): Promise<PushedRequestAnswer> {
    const raw = body ?? {};
    single(raw, 'redirect_uri'); // a wrong type is 422 here as in every other body
    const named = { client_id: single(raw, 'client_id'), client_secret: single(raw, 'client_secret') };
    const presented = presentedClient(named, authorization);
    const client = await this.clients.identify(ctx, presented);
    if (!client) throw new InvalidClient();
    await this.requests.count(ctx, client, presented.clientSecret !== null);
    return this.requests.push(client, raw);
  }
}

/** @throws InvalidInput */
function single(raw: RawParameters, name: string): string | undefined {
  const value = raw[name];
  if (value === undefined || typeof value === 'string') return value;
  throw InvalidInput.field(name, `${name} must be given once, as text`);
}
