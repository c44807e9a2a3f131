import { Controller, Get, Res, ServiceUnavailableException } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../common/http/access-marks.js';
import { ReadinessService } from './readiness.service.js';

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
    description: 'Checks the database, Redis and migrations.',
  })
  @ApiOkResponse({ description: '`{status: ok, info, details}`' })
  @ApiServiceUnavailableResponse({ description: '`{status: error, error, details}`' })
  async ready(@Res() response: Response): Promise<void> {
    try {
      response.json(await this.readiness.check());
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      response.status(503).json(error.getResponse());
    }
  }
}
