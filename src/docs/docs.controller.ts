import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Header, NotFoundException, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../common/http/access-marks.js';
import { OpenApiService } from './open-api.service.js';

const FOLDER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const FILES = new Set(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']);

/** Swagger UI sets inline styles; scripts stay our own files. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API – Identity Broker</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<main id="swagger-ui"><p>This page needs JavaScript. The same text as data: <a href="/openapi.json">/openapi.json</a></p></main>
<script src="/docs/assets/swagger-ui-bundle.js" defer></script>
<script src="/docs/assets/start.js" defer></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, tryItOutEnabled: false, validatorUrl: null, docExpansion: 'list' });\n`;

/** The OpenAPI document and a page that renders it, without any outside request. */
@ApiExcludeController()
@Controller()
export class DocsController {
  constructor(private readonly openApi: OpenApiService) {}

  @Get('openapi.json')
  @Public()
  @Header('Access-Control-Allow-Origin', '*')
  document() {
    return this.openApi.read();
  }

  @Get('docs')
  @Public()
  page(@Res() response: Response): void {
    response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    response.type('html').send(PAGE);
  }

  @Get('docs/assets/:name')
  @Public()
  asset(@Param('name') name: string, @Res() response: Response): void {
    response.setHeader('Cache-Control', 'public, max-age=3600');
    if (name === 'start.js') response.type('js').send(START);
    else if (FILES.has(name)) response.sendFile(join(FOLDER, name));
    else throw new NotFoundException();
  }
}
