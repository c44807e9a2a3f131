import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type Acr, ACR_VALUES } from '../../protocol/acr.rules.js';

/** RFC 9449 section 6.2. */
export class ConfirmationView {
  @ApiProperty({ description: 'SHA-256 thumbprint of the key that the token is bound to (RFC 7638)' }) jkt: string;
}

/** RFC 8693 section 4.1. */
export class ActorView {
  @ApiProperty({ format: 'uuid', description: 'App that acts for the user' }) sub: string;
  @ApiPropertyOptional({ type: () => ActorView, description: 'App that it got the token from' }) act?: ActorView;
}

/** RFC 7662 section 2.2. Only `active` for a token that is invalid, or not the caller's. */
export class IntrospectionView {
  @ApiProperty() active: boolean;
  @ApiPropertyOptional({ description: 'Space-separated' }) scope?: string;
  @ApiPropertyOptional({ description: 'As the client itself knows it' }) client_id?: string;
  @ApiPropertyOptional({ format: 'uuid', description: 'Only of a client that has registered itself: its app' })
  app_id?: string;
  @ApiPropertyOptional({ description: 'E-mail address of the user' }) username?: string;
  @ApiPropertyOptional({ enum: ['Bearer', 'DPoP'], description: 'Absent for refresh tokens' })
  token_type?: 'Bearer' | 'DPoP';
  @ApiPropertyOptional({ type: ConfirmationView, description: 'Only if the token is bound to a key' })
  cnf?: ConfirmationView;
  @ApiPropertyOptional({ description: 'Unix seconds' }) exp?: number;
  @ApiPropertyOptional({ description: 'Unix seconds' }) iat?: number;
  @ApiPropertyOptional({ format: 'uuid' }) sub?: string;
  @ApiPropertyOptional({ description: 'ID of the app, or identifier of a protected resource' }) aud?: string;
  @ApiPropertyOptional() iss?: string;
  @ApiPropertyOptional() jti?: string;
  @ApiPropertyOptional({ format: 'uuid' }) tenant_id?: string;
  @ApiPropertyOptional({ type: ActorView, description: 'Only if the token was exchanged (RFC 8693)' })
  act?: ActorView;
  @ApiPropertyOptional({ type: [String] }) roles?: string[];
  @ApiPropertyOptional({ description: 'Unix seconds' }) auth_time?: number;
  @ApiPropertyOptional({ enum: ACR_VALUES, description: 'Absent after a single factor (RFC 9470)' }) acr?: Acr;
}
