import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../common/http/access-marks.js';
import { PageRenderer } from '../common/pages/page-renderer.js';
import { apiReference } from './api-reference.js';
import type { DocumentLike } from './open-api-shapes.js';
import { API_VERSION, OpenApiService } from './open-api.service.js';

/** The OpenAPI document, and a readable page of it without scripts and external requests. */
@ApiExcludeController()
@Controller()
export class DocsController {
  private reference: ReturnType<typeof apiReference> | null = null;

  constructor(
    private readonly openApi: OpenApiService,
    private readonly pages: PageRenderer,
  ) {}

  @Get('openapi.json')
  @Public()
  @Header('Access-Control-Allow-Origin', '*')
  document() {
    return this.openApi.read();
  }

  @Get('docs')
  @Public()
  async page(@Res() response: Response): Promise<void> {
    this.reference ??= apiReference(this.openApi.read() as unknown as DocumentLike);
    await this.pages.send(response, {
      view: 'dev/api-reference',
      title: 'API reference · Identity Broker',
      layout: 'plain',
      model: { ...this.reference, version: API_VERSION },
    });
  }
}
