import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { counter } from '../common/metrics/process-metrics.js';
import type { SealedValueUnreadable } from './secret-box.js';

/** Interval of log messages for a row that is read all the time. */
const REPEAT_MS = 60_000;
/** Maximum number of rows that are remembered. Beyond it, all are forgotten and logged again. */
const MAX_REMEMBERED_ROWS = 1_000;

/**
 * The alarm for stored secrets that SECRET_KEY does not decrypt, because the row is damaged or the key is missing: a
 * counter, and a log line with the row.
 */
@Injectable()
export class UnreadableSecrets {
  private readonly logger = new Logger(UnreadableSecrets.name);
  private readonly loggedAt = new Map<string, number>();
  private readonly counter = counter({
    name: 'identity_unreadable_secrets_total',
    help: 'Reads of a stored secret that could not be decrypted',
    labelNames: ['table'],
  });

  constructor(private readonly clock: Clock) {}

  /** @param row `<table>:<key of the row>`, with the name of the setting if the row has several */
  report(row: string, error: SealedValueUnreadable): void {
    this.counter.inc({ table: row.slice(0, row.indexOf(':')) });
    const now = this.clock.now().getTime();
    if (now - (this.loggedAt.get(row) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return;
    if (this.loggedAt.size >= MAX_REMEMBERED_ROWS) this.loggedAt.clear();
    this.loggedAt.set(row, now);
    this.logger.error(`${row}: ${error.message}`);
  }
}
