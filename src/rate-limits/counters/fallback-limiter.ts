import { Logger } from '@nestjs/common';
import { type RateLimiterRes, RateLimiterMemory } from 'rate-limiter-flexible';
import { counter } from '../../common/metrics/process-metrics.js';

const MS_BETWEEN_WARNINGS = 60_000;

const FALLBACKS = counter({
  name: 'identity_rate_limit_fallbacks_total',
  help: 'Hits counted in the memory of one process, because Redis did not count them',
});

const logger = new Logger('RateLimits');
let warnedAtMs = Number.NEGATIVE_INFINITY;

/**
 * Counts in memory what Redis does not count. Limits are higher then, by a factor of the number of processes, so it is a
 * metric, and a warning once a minute. Redis may refuse only writes (read-only, full), so that nothing else shows it.
 */
export class FallbackLimiter extends RateLimiterMemory {
  override consume(...hit: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
    FALLBACKS.inc();
    const nowMs = performance.now();
    if (nowMs - warnedAtMs >= MS_BETWEEN_WARNINGS) {
      warnedAtMs = nowMs;
      logger.warn('Redis does not count rate limits: each process counts in its own memory');
    }
    return super.consume(...hit);
  }
}
