import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { collectDefaultMetrics, register } from 'prom-client';
import { histogram } from '../../common/metrics/process-metrics.js';

/** One of Node's own metrics, which are created once. */
const EVENT_LOOP = 'nodejs_eventloop_lag_seconds';
/** In seconds: from a key set in memory to a password check. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Process metrics and the duration of requests, by route pattern and never by URL, which could contain anything. */
@Injectable()
export class MetricsService {
  private readonly durations = histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
  });

  constructor() {
    if (!register.getSingleMetric(EVENT_LOOP)) collectDefaultMetrics();
  }

  read(): Promise<string> {
    return register.metrics();
  }

  /** Express middleware. */
  readonly observe = (request: Request, response: Response, next: NextFunction): void => {
    const begun = performance.now();
    response.once('finish', () => {
      const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
      const seconds = (performance.now() - begun) / 1_000;
      this.durations.observe({ method: request.method, route, status: response.statusCode }, seconds);
    });
    next();
  };
}
