import { Injectable } from '@nestjs/common';
import { Counter, register } from 'prom-client';

const NAME = 'identity_password_range_queries_total';

/** Counts the results of PASSWORD_RANGE_URL, so that failures are noticed. */
@Injectable()
export class BreachMetrics {
  private readonly counter =
    (register.getSingleMetric(NAME) as Counter<'outcome'> | undefined) ??
    new Counter({ name: NAME, help: 'New passwords looked up in data breaches', labelNames: ['outcome'] });

  answered(outcome: 'found' | 'not_found' | 'failed'): void {
    this.counter.inc({ outcome });
  }
}
