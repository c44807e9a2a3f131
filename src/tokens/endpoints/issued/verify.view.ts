import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ConfirmationView } from './introspection.view.js';
import type { ValidToken } from './token-check.service.js';

class VerifiedClaimsView {
  @ApiProperty({ format: 'uuid' }) sub: string;
  @ApiPropertyOptional({ description: 'Absent if the user has not consented to it, like the next two' })
  email?: string;
  @ApiPropertyOptional({ description: 'The current value, not the one at the time the token was issued' })
  email_verified?: boolean;
  @ApiPropertyOptional({ type: [String] }) roles?: readonly string[];
  @ApiProperty({ format: 'uuid' }) aud: string;
  @ApiProperty() iss: string;
  @ApiProperty({ description: 'Unix seconds' }) exp: number;
  @ApiPropertyOptional({
    type: ConfirmationView,
    description: 'Only if the token is bound to a key: accept it with a DPoP proof of that key only (RFC 9449)',
  })
  cnf?: ConfirmationView;
}

export class VerifyView {
  @ApiProperty() valid: boolean;
  @ApiPropertyOptional() claims?: VerifiedClaimsView;
  @ApiPropertyOptional({ description: 'The reason, if `valid` is false' }) error?: string;
}

export function viewOfValid({ claims, emailVerified }: ValidToken): VerifyView {
  const { sub, email, roles, aud, iss, exp, cnf } = claims;
  const userClaims = {
    ...(email === undefined ? {} : { email, email_verified: emailVerified }),
    ...(roles ? { roles } : {}),
    ...(cnf ? { cnf } : {}),
  };
  return { valid: true, claims: { sub, aud, iss, exp, ...userClaims } };
}
