import { Body, Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiHeader,
  ApiOperation,
  ApiProperty,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Request } from 'express';
import { ClientIds } from '../../../apps/self-registered/client-ids.service.js';
import { Public } from '../../../common/http/access-marks.js';
import { withOneResource } from '../../../common/http/bodies/oauth-forms.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Text } from '../../../common/validation/fields.js';
import { ClientAuthenticator } from '../../../tokens/clients/client-authenticator.js';
import { TokenRequestKeys } from '../../../tokens/clients/token-request-keys.js';
import { DPOP_HEADER } from '../../../tokens/endpoints/clients/dpop-header.js';
import { type ClientFields, presentedClient } from '../../../tokens/endpoints/clients/presented-client.js';
import { ClientAssertionFields } from '../../../tokens/protocol/token.dto.js';
import { InvalidClient, InvalidTarget } from '../../../tokens/protocol/tokens.errors.js';
import { InvalidInput } from '../../../common/validation/invalid-input.js';
import type { RawParameters } from './authorization-request.rules.js';
import { type PushedRequestResponse, PushedRequests } from './pushed-requests.service.js';

class PushedRequestView {
  @ApiProperty({ example: 'urn:ietf:params:oauth:request_uri:GjZ…' }) request_uri: string;
  @ApiProperty({ description: 'Seconds', example: 60 }) expires_in: number;
}

/** Only for the OpenAPI document: the parameters of a request are read as at `/login`. */
class PushedRequestBody extends ClientAssertionFields {
  @Text({ optional: true, max: 512, description: 'Id of the app. Alternative: HTTP Basic' }) client_id?: string;
  @Text({ optional: true, max: 512, description: 'Alternative: HTTP Basic' }) client_secret?: string;
  @Text({ max: 2048, description: 'Redirect URI. Send all other parameters of GET /login too' }) redirect_uri: string;
}

/** RFC 9126. Public, because the client authenticates itself without a bearer token. */
@ApiTags('Sign-in')
@Controller('auth/par')
export class PushedRequestsController {
  constructor(
    private readonly authenticator: ClientAuthenticator,
    private readonly requests: PushedRequests,
    private readonly keys: TokenRequestKeys,
    private readonly clientIds: ClientIds,
  ) {}

  @Post()
  @Public()
  @HttpCode(201)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Push an authorization request (RFC 9126)',
    description:
      'Takes the parameters of GET /login. Then send the browser to /login once, within a minute, with client_id and the `request_uri` from the response.',
  })
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiBody({ type: PushedRequestBody })
  @ApiHeader(DPOP_HEADER)
  @ApiCreatedResponse({ type: PushedRequestView })
  @ApiBadRequestResponse({ description: '`invalid_request` and the other errors that /login sends to the app' })
  @ApiUnauthorizedResponse({ description: '`invalid_client`' })
  @ApiTooManyRequestsResponse({
    description: '`too_many_requests`: limit `pushed_requests`, or `login_page_ip` without a secret',
  })
  async push(
    @Ctx() ctx: RequestContext,
    @Body() body: RawParameters,
    @Req() request: Request,
  ): Promise<PushedRequestResponse> {
    const sent = withOneResource(body ?? {});
    single(sent, 'redirect_uri'); // a wrong type is 422 here as in every other body
    const shown = presentedClient(clientFields(sent), request.headers.authorization);
    const clientId = await this.clientIds.begin(ctx, shown.clientId, sent['resource']);
    const named = { ...shown, clientId };
    const raw = sent['client_id'] === shown.clientId ? { ...sent, client_id: clientId } : sent;
    const presented = await this.keys.read(request, named);
    const client = await this.authenticator.identify(ctx, presented);
    if (!client)
      throw (await this.clientIds.isRefusedFor(sent['resource'], shown.clientId, clientId))
        ? new InvalidTarget()
        : new InvalidClient();
    await this.requests.count(ctx, client, presented.proof !== null);
    return this.requests.push(client, raw, presented.key?.jkt ?? null);
  }
}

/** @throws InvalidInput */
function clientFields(raw: RawParameters): ClientFields {
  return {
    client_id: single(raw, 'client_id'),
    client_secret: single(raw, 'client_secret'),
    client_assertion: single(raw, 'client_assertion'),
    client_assertion_type: single(raw, 'client_assertion_type'),
  };
}

/** @throws InvalidInput */
function single(raw: RawParameters, name: string): string | undefined {
  const value = raw[name];
  if (value === undefined || typeof value === 'string') return value;
  throw InvalidInput.field(name, `${name} must be given once, as text`);
}
