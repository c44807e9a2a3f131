import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { NotAuthenticated } from '../common/http/http.refusals.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { hashOpaqueToken, matchesHash } from '../crypto/opaque-token.js';

/** METRICS_TOKEN as a bearer token, where there is one. */
@Injectable()
export class MetricsGuard implements CanActivate {
  private readonly expected: Buffer | null;

  constructor(@Inject(SETTINGS) { metricsToken }: Settings) {
    this.expected = metricsToken === null ? null : hashOpaqueToken(metricsToken);
  }

  canActivate(host: ExecutionContext): boolean {
    if (this.expected === null) return true;
    const { headers } = host.switchToHttp().getRequest<Request>();
    const token = /^bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1];
    if (token !== undefined && matchesHash(token, this.expected)) return true;
    throw new NotAuthenticated();
  }
}
