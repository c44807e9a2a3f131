import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';
import { OpenApiService } from './open-api.service.js';

/** /openapi.json and /docs. Owns no table. */
@Module({ controllers: [DocsController], providers: [OpenApiService], exports: [OpenApiService] })
export class DocsModule {}
