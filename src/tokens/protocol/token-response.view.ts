import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class TokenResponse {
  @ApiProperty({ description: 'JWT, RS256' }) access_token: string;
  @ApiProperty({ description: 'Opaque, single use, rotated' }) refresh_token: string;
  @ApiProperty({ enum: ['Bearer', 'DPoP'], description: 'DPoP if the request had a proof' })
  token_type: 'Bearer' | 'DPoP';
  @ApiProperty({ description: 'Seconds', example: 900 }) expires_in: number;
  @ApiPropertyOptional({ description: 'Only if the sign-in requested the scope openid' }) id_token?: string;
  @ApiPropertyOptional({ description: 'The granted scopes, if the sign-in requested any' }) scope?: string;
}

export class ServiceTokenResponse {
  @ApiProperty() access_token: string;
  @ApiProperty({ enum: ['bearer', 'DPoP'], description: 'DPoP if the request had a proof' })
  token_type: 'bearer' | 'DPoP';
  @ApiProperty({ description: 'Seconds', example: 900 }) expires_in: number;
  @ApiProperty({ description: 'Space-separated' }) scope: string;
}
