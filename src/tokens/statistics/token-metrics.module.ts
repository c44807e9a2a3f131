import { Module } from '@nestjs/common';
import { TokenMetrics } from './token-metrics.js';

/** Metrics of issued and replayed tokens, for every grant. Owns no table. */
@Module({ providers: [TokenMetrics], exports: [TokenMetrics] })
export class TokenMetricsModule {}
