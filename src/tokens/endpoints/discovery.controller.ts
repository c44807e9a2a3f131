import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/http/access-marks.js';
import { sendDocument } from '../../common/http/express/prepared-document.js';
import { DiscoveryDocuments } from './discovery-documents.js';

@ApiTags('Tokens and discovery')
@Controller('.well-known')
export class DiscoveryController {
  constructor(private readonly documents: DiscoveryDocuments) {}

  @Get('jwks.json')
  @Public()
  @ApiOperation({
    summary: 'Get the public keys (RFC 7517)',
    description: 'Refresh hourly, or when a token names an unknown kid.',
  })
  @ApiOkResponse({ description: '`{keys: [{kty, use, alg, kid, n, e}]}`' })
  jwks(@Req() request: Request, @Res() response: Response): void {
    sendDocument(request, response, this.documents.jwks());
  }

  @Get('openid-configuration')
  @Public()
  @ApiOperation({ summary: 'Get the OpenID Connect discovery document' })
  @ApiOkResponse({ description: 'OpenID Provider Metadata' })
  configuration(@Req() request: Request, @Res() response: Response): void {
    sendDocument(request, response, this.documents.configuration);
  }

  @Get('oauth-authorization-server')
  @Public()
  @ApiOperation({ summary: 'Get the OAuth 2.0 authorization server metadata (RFC 8414): the same document' })
  @ApiOkResponse({ description: 'Authorization server metadata' })
  serverMetadata(@Req() request: Request, @Res() response: Response): void {
    sendDocument(request, response, this.documents.configuration);
  }
}
