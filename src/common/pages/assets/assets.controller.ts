import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../http/access-marks.js';
import { Assets } from './assets.js';

const A_YEAR = 'public, max-age=31536000, immutable';

@ApiExcludeController()
@Controller('assets')
export class AssetsController {
  constructor(private readonly assets: Assets) {}

  @Public()
  @Get(':fileName')
  show(@Param('fileName') fileName: string, @Req() request: Request, @Res() response: Response): void {
    const asset = this.assets.get(fileName);
    response
      .set('Content-Type', asset.contentType)
      .set('Cache-Control', A_YEAR)
      .set('X-Content-Type-Options', 'nosniff')
      .vary('Accept-Encoding');
    if (request.acceptsEncodings('gzip')) response.set('Content-Encoding', 'gzip').send(asset.gzipped);
    else response.send(asset.body);
  }
}
