import { Injectable } from '@nestjs/common';
import { Counter, register } from 'prom-client';

const NAME = 'identity_tokens_issued_total';

/** Counts issued tokens; issuing is not written to the audit log row by row. */
@Injectable()
export class TokenMetrics {
  private readonly counter =
    (register.getSingleMetric(NAME) as Counter<'kind'> | undefined) ??
    new Counter({ name: NAME, help: 'Access tokens issued, by what they were issued for', labelNames: ['kind'] });

  issued(kind: 'sign_in' | 'code' | 'refresh' | 'service'): void {
    this.counter.inc({ kind });
  }
}
