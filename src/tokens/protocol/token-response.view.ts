import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class TokenResponse {
  @ApiProperty({ description: 'JWT, RS256' }) access_token: string;
  @ApiProperty({ description: 'Opaque; works once, and each refresh returns a new one' }) refresh_token: string;
  @ApiProperty({ enum: ['Bearer', 'DPoP'], description: '`DPoP` if the request had a proof' })
  token_type: 'Bearer' | 'DPoP';
  @ApiProperty({ description: 'Seconds', example: 900 }) expires_in: number;
  @ApiPropertyOptional({ description: 'Only if the sign-in requested the scope `openid`' }) id_token?: string;
  @ApiPropertyOptional({ description: 'The granted scopes, if the sign-in requested any' }) scope?: string;
}

export class ServiceTokenResponse {
  @ApiProperty() access_token: string;
  @ApiProperty({ enum: ['bearer', 'DPoP'], description: '`DPoP` if the request had a proof' })
  token_type: 'bearer' | 'DPoP';
  @ApiProperty({ description: 'Seconds', example: 900 }) expires_in: number;
  @ApiProperty({ description: 'Space-separated' }) scope: string;
}

/** RFC 8693 section 2.2.1. */
export class ExchangedTokenResponse {
  @ApiProperty({ description: 'JWT, RS256' }) access_token: string;
  @ApiProperty({ description: 'urn:ietf:params:oauth:token-type:access_token' }) issued_token_type: string;
  @ApiProperty({ enum: ['Bearer', 'DPoP'], description: '`DPoP` if the request had a proof' })
  token_type: 'Bearer' | 'DPoP';
  @ApiProperty({ description: 'Seconds; never later than the end of the subject token', example: 300 })
  expires_in: number;
  @ApiProperty({ description: 'Space-separated; can be empty' }) scope: string;
}

/** RFC 8628 section 3.2. */
export class DeviceAuthorizationResponse {
  @ApiProperty({ description: 'The device polls /auth/token with it. Never show it to the user' })
  device_code: string;
  @ApiProperty({ example: 'BCDF-GHJK', description: 'The user types this code' }) user_code: string;
  @ApiProperty({ description: 'Page where the user types the code' }) verification_uri: string;
  @ApiProperty({ description: 'The same page with the code filled in, for a QR code' })
  verification_uri_complete: string;
  @ApiProperty({ description: 'Seconds', example: 900 }) expires_in: number;
  @ApiProperty({ description: 'Seconds between two polls', example: 5 }) interval: number;
}
