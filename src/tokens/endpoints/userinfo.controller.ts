import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../../common/http/access-marks.js';
import { UserinfoService } from './userinfo.service.js';

class UserinfoView {
  @ApiProperty({ format: 'uuid' }) sub: string;
  @ApiPropertyOptional() email?: string;
  @ApiPropertyOptional() email_verified?: boolean;
  @ApiPropertyOptional() name?: string;
  @ApiPropertyOptional({ description: 'E-mail address' }) preferred_username?: string;
  @ApiPropertyOptional({ type: [String] }) roles?: readonly string[];
  @ApiProperty({ format: 'uuid' }) app_id: string;
  @ApiProperty({ format: 'uuid' }) tenant_id: string;
  @ApiPropertyOptional({ description: 'Unix seconds' }) updated_at?: number;
}

/** Public, because it accepts an access token of any user and any audience; the service checks it. */
@ApiTags('Tokens and discovery')
@ApiBearerAuth()
@Controller('userinfo')
export class UserinfoController {
  constructor(private readonly userinfo: UserinfoService) {}

  @Get()
  @Public('console_token', 'app_token')
  @ApiOperation({ summary: 'Get the claims of a user (OpenID Connect Core 5.3)' })
  @ApiOkResponse({ type: UserinfoView })
  @ApiUnauthorizedResponse({ description: '`Invalid token`' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`: limit `dpop_key`' })
  get(@Req() request: Request): Promise<UserinfoView> {
    return this.userinfo.describe(request);
  }

  @Post()
  @Public('console_token', 'app_token')
  @HttpCode(200)
  @ApiOperation({ summary: 'Get the claims of a user (by POST)' })
  @ApiOkResponse({ type: UserinfoView })
  @ApiUnauthorizedResponse({ description: '`Invalid token`' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`: limit `dpop_key`' })
  post(@Req() request: Request): Promise<UserinfoView> {
    return this.userinfo.describe(request);
  }
}
