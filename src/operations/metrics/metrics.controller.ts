import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiTags, ApiUnauthorizedResponse } from '@nestjs/swagger';
import { Public } from '../../common/http/access-marks.js';
import { MetricsGuard } from './metrics.guard.js';
import { MetricsService } from './metrics.service.js';

@ApiTags('Operations')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  @Get()
  @Public()
  @UseGuards(MetricsGuard)
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiOperation({
    summary: 'Get metrics for Prometheus',
    description:
      'Counts and times only. Send `METRICS_TOKEN` as a bearer token. If no token is configured, only direct requests from ' +
      'private addresses are answered. With `METRICS_PORT`, metrics are served on that port and this route returns 404.',
  })
  @ApiOkResponse({ description: 'Prometheus text format' })
  @ApiUnauthorizedResponse({ description: 'Missing or wrong token, or a request from outside' })
  @ApiNotFoundResponse({ description: 'The metrics are on `METRICS_PORT`' })
  read(): Promise<string> {
    return this.metrics.read();
  }
}
