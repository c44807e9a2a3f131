import { Injectable } from '@nestjs/common';
import { counter } from '../../common/metrics/process-metrics.js';

/** Counts issued tokens, which are not recorded in the audit log one by one. */
@Injectable()
export class TokenMetrics {
  private readonly counter = counter({
    name: 'identity_tokens_issued_total',
    help: 'Access tokens issued, by what they were issued for',
    labelNames: ['kind'],
  });

  private readonly replays = counter({
    name: 'identity_tokens_replayed_total',
    help: 'Spent codes and refresh tokens presented again',
    labelNames: ['kind'],
  });

  issued(kind: 'sign_in' | 'code' | 'refresh' | 'device' | 'service' | 'exchange'): void {
    this.counter.inc({ kind });
  }

  /**
   * Counts every replay. The audit log contains only replays that ended a sign-in, because a used token can be sent any
   * number of times.
   */
  replayed(kind: 'authorization_code' | 'refresh_token'): void {
    this.replays.inc({ kind });
  }
}
