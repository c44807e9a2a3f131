import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { collectDefaultMetrics, Histogram, register } from 'prom-client';

const NAME = 'http_request_duration_seconds';
/** Seconds; from a key set out of memory to a password check. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Process metrics and the duration of requests, by route pattern: never by address, which could hold anything. */
@Injectable()
export class MetricsService {
  private readonly durations: Histogram<'method' | 'route' | 'status'>;

  constructor() {
    const known = register.getSingleMetric(NAME);
    if (!known) collectDefaultMetrics();
    this.durations =
      (known as Histogram<'method' | 'route' | 'status'> | undefined) ??
      new Histogram({
        name: NAME,
        help: 'Duration of HTTP requests',
        labelNames: ['method', 'route', 'status'],
        buckets: BUCKETS,
      });
  }

  read(): Promise<string> {
    return register.metrics();
  }

  /** Express middleware. */
  readonly observe = (request: Request, response: Response, next: NextFunction): void => {
    const begun = process.hrtime.bigint();
    response.once('finish', () => {
      const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
      const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
      this.durations.observe({ method: request.method, route, status: response.statusCode }, seconds);
    });
    next();
  };
}
