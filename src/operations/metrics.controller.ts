import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../common/http/access-marks.js';
import { MetricsService } from './metrics.service.js';

@ApiTags('Operations')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  @Get()
  @Public()
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiOperation({ summary: 'Prometheus metrics', description: 'Counts and times only; keep it inside your network.' })
  @ApiOkResponse({ description: 'Prometheus text format' })
  read(): Promise<string> {
    return this.metrics.read();
  }
}
