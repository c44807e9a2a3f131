import { type CanActivate, type ExecutionContext, Inject, Injectable, NotFoundException } from '@nestjs/common';
import type { Request } from 'express';
import { NotAuthenticated } from '../../common/http/http.refusals.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { isDirectAndPrivate } from './direct-request.rules.js';
import { MetricsToken } from './metrics-token.js';

/**
 * On the public port, the metrics require METRICS_TOKEN. Without a token, they answer machines in the private network,
 * but not through a proxy, because its requests may come from anywhere. With METRICS_PORT, the public port has no
 * metrics.
 */
@Injectable()
export class MetricsGuard implements CanActivate {
  private readonly token: MetricsToken | null;
  private readonly isElsewhere: boolean;

  constructor(@Inject(SETTINGS) { metricsToken, metricsPort }: Settings) {
    this.token = metricsToken === null ? null : new MetricsToken(metricsToken);
    this.isElsewhere = metricsPort !== null;
  }

  canActivate(host: ExecutionContext): boolean {
    const { headers, socket } = host.switchToHttp().getRequest<Request>();
    if (this.isElsewhere) throw new NotFoundException();
    const admitted = this.token
      ? this.token.isIn(headers.authorization)
      : isDirectAndPrivate(socket.remoteAddress, headers);
    if (!admitted) throw new NotAuthenticated();
    return true;
  }
}
