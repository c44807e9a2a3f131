import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, ApiUnauthorizedResponse } from '@nestjs/swagger';
import { Public } from '../common/http/access-marks.js';
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
    summary: 'Prometheus metrics',
    description:
      'Counts and times only. With `METRICS_TOKEN` it asks for that as a bearer token; else keep it inside your network.',
  })
  @ApiOkResponse({ description: 'Prometheus text format' })
  @ApiUnauthorizedResponse({ description: 'Missing token, or not the `METRICS_TOKEN` of the service' })
  read(): Promise<string> {
    return this.metrics.read();
  }
}
