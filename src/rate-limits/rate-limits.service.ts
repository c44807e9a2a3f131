import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { RateLimitStore, type Window } from './rate-limit-store.js';
import {
  RATE_LIMIT_LABELS,
  type RateLimitLabel,
  type RateLimitRule,
  rateLimitRules,
  unknownLabels,
} from './rate-limit.rules.js';
import { RateLimited } from './rate-limited.js';

export interface RateLimitVerdict {
  readonly allowed: boolean;
  /** Seconds until the window ends when not allowed, else 0. */
  readonly retryAfter: number;
  /** Hits that still pass in this window. */
  readonly remaining: number;
}

/** Specification, Rate limit record. */
export interface RateLimitRecord {
  readonly label: RateLimitLabel;
  readonly key: string;
  readonly count: number;
  /** Seconds. */
  readonly ttl: number;
}

/** A counter that lets nothing through until its window ends. */
export interface SpentLimit extends RateLimitRecord {
  /** So many pass in a window. */
  readonly points: number;
}

const MOST_SPENT = 100;

/** Counts attempts per label and key (a canonical e-mail, a `clientAddressKey`, an id). The one place for all limits. */
@Injectable()
export class RateLimitsService {
  private readonly rules: Readonly<Record<RateLimitLabel, RateLimitRule>>;

  constructor(
    private readonly store: RateLimitStore,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.rules = rateLimitRules(settings.rateLimits);
    const unknown = unknownLabels(settings.rateLimits);
    if (unknown.length > 0)
      new Logger(RateLimitsService.name).warn(`RATE_LIMITS names no limit of ours: ${unknown.join(', ')}`);
  }

  rule(label: RateLimitLabel): RateLimitRule {
    return this.rules[label];
  }

  /**
   * Counts a hit.
   * @throws RateLimited when it is one too many
   */
  async consume(label: RateLimitLabel, key: string): Promise<void> {
    const { allowed, retryAfter } = await this.tryConsume(label, key);
    if (!allowed) throw this.refusal(label, retryAfter);
  }

  /** Counts a hit and says whether it passes: exactly `points` do, however many come at once. */
  async tryConsume(label: RateLimitLabel, key: string): Promise<RateLimitVerdict> {
    const rule = this.rules[label];
    if (!rule.active) return { allowed: true, retryAfter: 0, remaining: rule.points };
    const window = await this.store.hit(label, rule, key);
    return judge(rule, window, window.count <= rule.points);
  }

  /** Whether the next hit would pass, without counting one. */
  async peek(label: RateLimitLabel, key: string): Promise<RateLimitVerdict> {
    const rule = this.rules[label];
    const window = rule.active ? await this.store.look(label, rule, key) : null;
    if (!window) return { allowed: true, retryAfter: 0, remaining: rule.points };
    return judge(rule, window, window.count < rule.points);
  }

  async clear(label: RateLimitLabel, key: string): Promise<void> {
    await this.store.forget(label, this.rules[label], key);
  }

  /** Of the given counters those that have a window open, in the given order. */
  async inspect(keys: readonly { readonly label: RateLimitLabel; readonly key: string }[]): Promise<RateLimitRecord[]> {
    const records = await Promise.all(
      keys.map(async ({ label, key }) => {
        const window = await this.store.look(label, this.rules[label], key);
        return window ? [{ label, key, count: window.count, ttl: window.secondsLeft }] : [];
      }),
    );
    return records.flat();
  }

  /** Which counters let nothing through just now, the longest wait first; of very many some. */
  async spent(): Promise<SpentLimit[]> {
    const known = (await this.store.listSpent(MOST_SPENT)).flatMap(({ label, key }) => {
      const found = RATE_LIMIT_LABELS.find((each) => each === label);
      return found ? [{ label: found, key }] : [];
    });
    return (await this.inspect(known))
      .map((record) => ({ ...record, points: this.rules[record.label].points }))
      .filter(({ count, points }) => count >= points)
      .sort((a, b) => b.ttl - a.ttl);
  }

  /** For callers that counted by `tryConsume` or `peek` and decide themselves. */
  refusal(label: RateLimitLabel, retryAfter: number): RateLimited {
    return new RateLimited(this.rules[label].detail, retryAfter);
  }
}

function judge(rule: RateLimitRule, window: Window, allowed: boolean): RateLimitVerdict {
  return { allowed, retryAfter: allowed ? 0 : window.secondsLeft, remaining: Math.max(0, rule.points - window.count) };
}
