import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { quickText, Text, Uuid } from '../../common/validation/fields.js';
import { CLIENT_ASSERTION_TYPE } from './client-assertion-type.js';

const TOKEN_LENGTH = 8192;
const DEVICE_LENGTH = 256;
const VERIFIER_LENGTH = 512;

/**
 * A malformed verifier counts as a wrong one and is no 422, because it must use up the code like every wrong one.
 * `null` and an empty text count as absent.
 */
function Verifier(description: string): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => {
      if (value === null || value === '') return undefined;
      return typeof value === 'string' && value.length <= VERIFIER_LENGTH ? value : '';
    }),
    Text({ optional: true, max: VERIFIER_LENGTH, description, quick: quickText(1, VERIFIER_LENGTH) }),
  ) as PropertyDecorator;
}

/**
 * RFC 7521 section 4.2, for an app with `private_key_jwt`. The limit is above the length of any assertion that is read.
 */
export abstract class ClientAssertionFields {
  @Text({
    optional: true,
    max: 16_384,
    description: 'Instead of a secret, for apps with `private_key_jwt`: a JWT signed with their key (RFC 7523)',
  })
  client_assertion?: string;

  @Text({ optional: true, max: 128, description: `With client_assertion: ${CLIENT_ASSERTION_TYPE}` })
  client_assertion_type?: string;
}

export class RefreshRequest extends ClientAssertionFields {
  @Text({ min: 1, max: TOKEN_LENGTH })
  refresh_token: string;

  @Uuid()
  app_id: string;

  @Text({
    optional: true,
    max: 512,
    description: 'Alternative: HTTP Basic. Checked if sent; required for confidential clients',
  })
  client_secret?: string;

  @Text({
    optional: true,
    nullable: true,
    max: DEVICE_LENGTH,
    description: 'Must match if the token is bound to a device',
  })
  device_id?: string | null;
}

export class RevokeRequest extends ClientAssertionFields {
  @Text({ optional: true, min: 1, max: TOKEN_LENGTH })
  refresh_token?: string;

  @Text({
    optional: true,
    min: 1,
    max: TOKEN_LENGTH,
    description: 'Name of the field in RFC 7009; an access token works too',
  })
  token?: string;

  @Text({ optional: true, max: 64, description: 'RFC 7009; ignored' })
  token_type_hint?: string;

  @Text({
    optional: true,
    max: 512,
    description: 'Id of the app, or URL of the client’s metadata document. Alternative: HTTP Basic',
  })
  client_id?: string;

  @Text({
    optional: true,
    max: 512,
    description: 'Alternative: HTTP Basic. Checked if sent; required for confidential clients',
  })
  client_secret?: string;
}

export class VerifyRequest {
  @Text({ min: 1, max: 65_536 })
  token: string;

  @Text({ min: 1, max: 256, description: 'Id of the app that the token must be issued for' })
  audience: string;
}

export class IntrospectionRequest extends ClientAssertionFields {
  @Text({ min: 1, max: TOKEN_LENGTH })
  token: string;

  @Text({ optional: true, max: 64, description: 'RFC 7662; ignored' })
  token_type_hint?: string;

  @Text({
    optional: true,
    max: 512,
    description: 'Id of the app, or URL of the client’s metadata document. Alternative: HTTP Basic',
  })
  client_id?: string;

  @Text({ optional: true, max: 512, description: 'Alternative: HTTP Basic' })
  client_secret?: string;
}

export class ExchangeRequest extends ClientAssertionFields {
  @Text({ min: 1, max: 512 })
  code: string;

  @Uuid({ optional: true, description: 'Alternative: client_id' })
  app_id?: string;

  @Uuid({ optional: true, description: 'OAuth name of app_id' })
  client_id?: string;

  @Verifier('RFC 7636; required if a challenge was sent to /login')
  code_verifier?: string;

  @Text({ optional: true, max: 2048, description: 'Must be the redirect_uri of the sign-in' })
  redirect_uri?: string;

  @Text({
    optional: true,
    max: 512,
    description: 'Alternative: HTTP Basic. Checked if sent; required for confidential clients',
  })
  client_secret?: string;

  @Text({
    optional: true,
    nullable: true,
    max: DEVICE_LENGTH,
    description: 'Binds the refresh tokens to a device if the sign-in did not',
  })
  device_id?: string | null;
}

export class TokenRequest extends ClientAssertionFields {
  @Text({ min: 1, max: 128, example: 'client_credentials' })
  grant_type: string;

  @Text({
    optional: true,
    max: 512,
    description: 'Id of the app, or URL of the client’s metadata document. Alternative: HTTP Basic',
  })
  client_id?: string;

  @Text({ optional: true, max: 512, description: 'Alternative: HTTP Basic' })
  client_secret?: string;

  @Text({
    optional: true,
    max: 1024,
    description:
      'Space-separated. For client_credentials, default: all scopes of the app. For refresh_token: a subset of the scopes of the sign-in',
    example: 'push:send',
  })
  scope?: string;

  @Text({ optional: true, max: 512, description: 'grant_type=authorization_code' })
  code?: string;

  @Text({ optional: true, max: 2048, description: 'grant_type=authorization_code' })
  redirect_uri?: string;

  @Verifier('grant_type=authorization_code')
  code_verifier?: string;

  @Text({ optional: true, max: TOKEN_LENGTH, description: 'grant_type=refresh_token' })
  refresh_token?: string;

  @Text({ optional: true, max: 512, description: 'grant_type=urn:ietf:params:oauth:grant-type:device_code' })
  device_code?: string;

  @Text({
    optional: true,
    max: 512,
    description:
      'Identifier of the protected resource (RFC 8707), for client_credentials and token exchange. For other grants, that of the sign-in, or absent',
  })
  resource?: string;

  @Text({ optional: true, max: 512, description: 'Token exchange (RFC 8693): another name for `resource`' })
  audience?: string;

  @Text({ optional: true, max: TOKEN_LENGTH, description: 'Token exchange: the access token of the user' })
  subject_token?: string;

  @Text({ optional: true, max: 128, description: 'Token exchange: urn:ietf:params:oauth:token-type:access_token' })
  subject_token_type?: string;

  @Text({
    optional: true,
    max: 128,
    description: 'Token exchange: urn:ietf:params:oauth:token-type:access_token, or absent',
  })
  requested_token_type?: string;

  @Text({ optional: true, max: TOKEN_LENGTH, description: 'Not supported: the authenticated app is the actor' })
  actor_token?: string;

  @Text({ optional: true, max: 128, description: 'Not supported, like actor_token' })
  actor_token_type?: string;
}

export class DeviceAuthorizationRequest extends ClientAssertionFields {
  @Text({
    optional: true,
    max: 512,
    description: 'Id of the app, or URL of the client’s metadata document. Alternative: HTTP Basic',
  })
  client_id?: string;

  @Text({
    optional: true,
    max: 512,
    description: 'Alternative: HTTP Basic. Checked if sent; required for confidential clients',
  })
  client_secret?: string;

  @Text({ optional: true, max: 1024, description: 'See GET /login', example: 'openid profile email' })
  scope?: string;

  @Text({ optional: true, max: 512, description: 'Identifier of a protected resource (RFC 8707)' })
  resource?: string;
}
