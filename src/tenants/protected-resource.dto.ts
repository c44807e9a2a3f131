import { Text, TextList, Whole } from '../common/validation/fields.js';
import { IDENTIFIER_LENGTH, MAX_RESOURCE_SCOPES, type ProtectedResource } from './protected-resource.rules.js';

/** A protected resource in the API (RFC 8707). */
export class ProtectedResourceInput implements ProtectedResource {
  @Text({
    min: 1,
    max: IDENTIFIER_LENGTH,
    example: 'https://orders.example.com/api',
    description: 'Absolute URI without a fragment: the value of the parameter `resource`, and of `aud` in its tokens',
  })
  identifier: string;

  @Text({ min: 1, max: 200 })
  name: string;

  @TextList({ max: MAX_RESOURCE_SCOPES, itemMax: 100, example: ['orders:read'] })
  scopes: string[];

  @Whole({ min: 1, max: 1440, description: 'Lifetime of access tokens for it' })
  token_lifetime_minutes: number;
}
