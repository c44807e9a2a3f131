import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { counter } from '../../../common/metrics/process-metrics.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { OutboundHttp } from '../../../outbound/outbound-http.js';
import { PREFIX_LENGTH, readRange } from './breach-range.rules.js';

/** Short, because a user waits for the answer. */
const TIMEOUT_MS = 1_000;
/** Ten times the length of a range. */
const MAX_BYTES = 512 * 1024;

/**
 * Passwords from data breaches, by a range query as in Have I Been Pwned (`PASSWORD_RANGE_URL`): five of the 40 digits
 * of the SHA-1 hash are sent, all hashes with this prefix are returned, and compared here. The other service learns
 * neither the password nor the user; padded answers do not reveal the range by their length.
 */
@Injectable()
export class BreachedPasswords {
  private readonly answers = counter({
    name: 'identity_password_range_queries_total',
    help: 'New passwords looked up in data breaches',
    labelNames: ['outcome'],
  });
  private readonly logger = new Logger(BreachedPasswords.name);

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly http: OutboundHttp,
  ) {}

  /** Never rejects: without a valid answer, the password counts as not breached. */
  async include(password: string): Promise<boolean> {
    const { passwordRangeUrl } = this.settings;
    if (passwordRangeUrl === null) return false;
    const digest = createHash('sha1').update(password, 'utf8').digest('hex').toUpperCase();
    try {
      const suffixes = await this.ask(passwordRangeUrl, digest.slice(0, PREFIX_LENGTH));
      const found = suffixes.has(digest.slice(PREFIX_LENGTH));
      this.answers.inc({ outcome: found ? 'found' : 'not_found' });
      return found;
    } catch (error) {
      this.answers.inc({ outcome: 'failed' });
      // The log does not contain the range, because together with the time of a request it would narrow down a
      // password.
      this.logger.warn(
        `PASSWORD_RANGE_URL gave no answer: ${(error as Error).message}. The password was accepted without this check.`,
      );
      return false;
    }
  }

  private async ask(base: string, prefix: string): Promise<ReadonlySet<string>> {
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const { status, body } = await this.http.get(`${base}${prefix}`, { 'add-padding': 'true' }, limits);
    if (status !== 200) throw new Error(`Status ${status}`);
    const suffixes = readRange(body.toString('latin1'));
    if (!suffixes) throw new Error('It is no list of digests');
    return suffixes;
  }
}
