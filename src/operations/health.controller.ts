import { Controller, Get, Query, Res, ServiceUnavailableException } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../common/http/access-marks.js';
import { QueryFlag } from '../common/validation/fields.js';
import { ReadinessService } from './readiness.service.js';

export class ReadinessQuery {
  @QueryFlag({ description: 'The status does not depend on Redis. Default false' })
  ignore_redis?: boolean;
}

@ApiTags('Operations')
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: ReadinessService) {}

  @Get('live')
  @Public()
  @ApiOperation({ summary: 'Check that the process responds (liveness)' })
  @ApiOkResponse({ description: '`{status: ok}`' })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Sends its own body in both cases, because it names what is down, unlike an error body. */
  @Get('ready')
  @Public()
  @ApiOperation({
    summary: 'Check that the process can take traffic (readiness)',
    description:
      'Checks the database, Redis and migrations. The service works without Redis, with looser rate limits: with `ignore_redis=true`, an outage of Redis does not take all processes out of your load balancer.',
  })
  @ApiOkResponse({ description: '`{status: ok, info, error, details}`' })
  @ApiServiceUnavailableResponse({ description: '`{status: error, error, details}`' })
  async ready(@Query() { ignore_redis: ignoresRedis }: ReadinessQuery, @Res() response: Response): Promise<void> {
    try {
      response.json(await this.readiness.check({ ignoresRedis }));
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      response.status(503).json(error.getResponse());
    }
  }
}
