import { Inject, Injectable, Logger } from '@nestjs/common';
import { KeyedSemaphore } from '../common/concurrency/keyed-semaphore.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import {
  type CounterKey,
  findableParts,
  keyOf,
  keysOfHit,
  partsOf,
  type UserLimitLabel,
  ruleForKey,
} from './counters/counter-keys.rules.js';
import { RateLimitStore, type Window } from './counters/rate-limit-store.js';
import {
  RATE_LIMIT_LABELS,
  type RateLimitLabel,
  type RateLimitRule,
  rateLimitRules,
  unknownLabels,
} from './counters/rate-limit.rules.js';
import { RateLimited } from './rate-limited.js';

export interface RateLimitVerdict {
  readonly allowed: boolean;
  /** Seconds until the window ends if refused, otherwise 0. */
  readonly retryAfter: number;
  /** Number of hits that still pass in this window. */
  readonly remaining: number;
}

/** A rate-limit record of the API (docs/conventions.md, section 3). */
export interface RateLimitRecord extends CounterKey {
  readonly count: number;
  /** Seconds. */
  readonly ttl: number;
  /** Number of hits that pass in a window. */
  readonly points: number;
}

/**
 * Limits of a user are counted by {@link RateLimitsService.tryConsumeOfUser}, which needs the origin of the request.
 */
type OtherLimitLabel = Exclude<RateLimitLabel, UserLimitLabel>;

/** A hit, and the end of its window: see {@link Window}. */
interface Counted {
  readonly key: string;
  readonly endsAt: number | null;
}

const MAX_LISTED_KEYS = 100;
/** For one key in one process, so that a few processes together stay below the number of points of a limit. */
const MAX_PARALLEL_TRIES = 2;
const MAX_WAITING_TRIES = 100;

/**
 * Counts attempts by label and key (a `clientAddressKey`, an id, or two of them by `keyOf`). All limits use this
 * service; `keysOfHit` determines for all callers in which wider counters a hit counts too.
 */
@Injectable()
export class RateLimitsService {
  private readonly rules: Readonly<Record<RateLimitLabel, RateLimitRule>>;
  private readonly tries = new KeyedSemaphore(MAX_PARALLEL_TRIES, MAX_WAITING_TRIES);

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
   * @throws RateLimited if it exceeds the limit
   */
  async consume(label: OtherLimitLabel, key: string): Promise<void> {
    const { allowed, retryAfter } = await this.tryConsume(label, key);
    if (!allowed) throw this.refusal(label, retryAfter);
  }

  /** For work that counts its hit only when it is done. @throws RateLimited if the next hit would not pass */
  async checkLeft(label: OtherLimitLabel, key: string): Promise<void> {
    const { allowed, retryAfter } = await this.peek(label, key);
    if (!allowed) throw this.refusal(label, retryAfter);
  }

  /** Counts a hit and returns whether it passes: exactly `points` hits do, however many are concurrent. */
  tryConsume(label: OtherLimitLabel, key: string): Promise<RateLimitVerdict> {
    return this.hit(label, key);
  }

  /**
   * For an action that may be retried, such as a job: after it has passed, it is not counted again.
   * @param name of the action; call {@link forgetPassed} when it is done
   * @returns whether it passes
   */
  async passesOnce(label: OtherLimitLabel, key: string, name: string): Promise<boolean> {
    // Claimed before it is counted: if the process dies in between, one too many passes instead of one too few.
    if (!(await this.store.claim(name))) return true;
    const { allowed } = await this.hit(label, key);
    if (!allowed) await this.store.release(name);
    return allowed;
  }

  async forgetPassed(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.store.release(name)));
  }

  /** @param source a `clientAddressKey`, or the `browserKey` of a known browser of the user */
  tryConsumeOfUser(label: UserLimitLabel, email: string, source: string): Promise<RateLimitVerdict> {
    return this.hit(label, keyOf(email, source));
  }

  /** Whether the next hit would pass, without counting one. */
  async peek(label: RateLimitLabel, key: string): Promise<RateLimitVerdict> {
    const verdicts = await Promise.all(keysOfHit(label, key).map((each) => this.look(label, each)));
    return verdicts.find(({ allowed }) => !allowed) ?? tightest(verdicts);
  }

  async clear(label: RateLimitLabel, key: string): Promise<void> {
    await this.store.forget(label, this.ruleFor(label, key), key);
  }

  /**
   * Called after a success that {@link tryConsumeOfUser} has counted: clears this counter, and takes one hit back from
   * the wider ones.
   */
  async forgive(label: UserLimitLabel, email: string, source: string): Promise<void> {
    if (!this.rules[label].active) return;
    const [key, ...wider] = keysOfHit(label, keyOf(email, source));
    const anyWindow = wider.map((each) => ({ key: each, endsAt: null }));
    await Promise.all([this.clear(label, key!), this.takeBack(label, anyWindow)]);
  }

  /**
   * For limits that count failures. The hit counts while the work runs, so that of any number of concurrent calls
   * exactly `points` run; it is taken back unless the work reports a failure. A refused hit is taken back too. The work
   * is short: for the first key, only two run concurrently in a process and others wait, so many concurrent successes
   * are not refused. Close to the limit a success may be refused while others are running: distinguishing these from
   * failures would need a number for each, which would remain if a process dies.
   * @throws RateLimited before the work, if it exceeds the limit of one of the keys, or if too many wait
   */
  async whileLeft<T>(
    label: OtherLimitLabel,
    keys: readonly string[],
    work: (countFailure: () => void) => Promise<T>,
  ): Promise<T> {
    const all = keys.flatMap((each) => keysOfHit(label, each));
    for (const key of all) {
      const { allowed, retryAfter } = await this.look(label, key);
      if (!allowed) throw this.refusal(label, retryAfter);
    }
    const release = await this.tries.acquire(`${label} ${keys[0]}`);
    if (!release) throw this.refusal(label, 1);
    const counted: Counted[] = [];
    let failed = false;
    try {
      for (const key of all) {
        const { allowed, retryAfter, endsAt } = await this.count(label, key);
        counted.push({ key, endsAt });
        if (!allowed) throw this.refusal(label, retryAfter);
      }
      return await work(() => (failed = true));
    } finally {
      try {
        if (!failed) await this.takeBack(label, counted);
      } finally {
        release();
      }
    }
  }

  /** Refuses everything for this time, regardless of the current window. */
  async shut(label: OtherLimitLabel, key: string, seconds: number): Promise<void> {
    await this.store.shut(label, this.ruleFor(label, key), key, seconds);
  }

  /**
   * Adds one and begins a new window. For a counter that only one request at a time increases.
   * @param secondsFor length of the window for a count
   * @returns the count
   */
  async raise(label: OtherLimitLabel, key: string, secondsFor: (count: number) => number): Promise<number> {
    const rule = this.ruleFor(label, key);
    const count = ((await this.store.look(label, rule, key))?.count ?? 0) + 1;
    await this.store.set(label, rule, key, count, secondsFor(count));
    return count;
  }

  /** Clears all counters of a user under one label, from any origin. */
  async clearUser(label: UserLimitLabel, email: string): Promise<void> {
    const counters = (await this.counting(email)).filter((each) => each.label === label);
    await Promise.all([{ label, key: email }, ...counters].map(({ key }) => this.clear(label, key)));
  }

  /**
   * Counters with several parts, including this one, that may have an open window. Includes the wider counters of these
   * hits, whose own names may be lost, because only the newest names are kept.
   */
  async counting(part: string): Promise<CounterKey[]> {
    const found = await this.store.listComposites(part);
    return found.flatMap(({ label, key }) => {
      const wider = keysOfHit(label, key).filter((each) => each !== key && isOfSeveral(each, part));
      return [key, ...wider].map((each) => ({ label, key: each }));
    });
  }

  /** Those of the given counters that have an open window, each once, in the given order. */
  async inspect(keys: readonly CounterKey[]): Promise<RateLimitRecord[]> {
    const distinct = new Map(keys.map((each) => [`${each.label} ${each.key}`, each]));
    const records = await Promise.all(
      [...distinct.values()].map(async ({ label, key }) => {
        const rule = this.ruleFor(label, key);
        const window = await this.store.look(label, rule, key);
        if (!window || window.count <= 0) return [];
        return [{ label, key, count: window.count, ttl: window.secondsLeft, points: rule.points }];
      }),
    );
    return records.flat();
  }

  /** Counters that currently refuse requests, the longest wait first; only some if there are very many. */
  async spent(): Promise<RateLimitRecord[]> {
    const known = (await this.store.listSpent(MAX_LISTED_KEYS)).flatMap(({ label, key }) => {
      const found = RATE_LIMIT_LABELS.find((each) => each === label);
      return found ? [{ label: found, key }] : [];
    });
    return (await this.inspect(known)).filter(({ count, points }) => count >= points).sort((a, b) => b.ttl - a.ttl);
  }

  /** For callers that count with `tryConsume` or `peek` and decide themselves. */
  refusal(label: RateLimitLabel, retryAfter: number): RateLimited {
    return new RateLimited(this.rules[label].detail, retryAfter);
  }

  /**
   * A hit that a narrow counter refuses does not count in wider ones, so that a caller cannot use up a shared limit.
   */
  private async hit(label: RateLimitLabel, key: string): Promise<RateLimitVerdict> {
    const verdicts: RateLimitVerdict[] = [];
    for (const each of keysOfHit(label, key)) {
      const verdict = await this.count(label, each);
      if (!verdict.allowed) return verdict;
      verdicts.push(verdict);
    }
    return tightest(verdicts);
  }

  private async takeBack(label: RateLimitLabel, counted: readonly Counted[]): Promise<void> {
    if (!this.rules[label].active) return;
    await Promise.all(
      counted.map(({ key, endsAt }) => this.store.takeBack(label, this.ruleFor(label, key), key, endsAt)),
    );
  }

  private async count(label: RateLimitLabel, key: string): Promise<RateLimitVerdict & Pick<Counted, 'endsAt'>> {
    const rule = this.ruleFor(label, key);
    if (!rule.active) return { allowed: true, retryAfter: 0, remaining: rule.points, endsAt: null };
    const window = await this.store.hit(label, rule, key);
    return { ...judge(rule, window, window.count <= rule.points), endsAt: window.endsAt };
  }

  private async look(label: RateLimitLabel, key: string): Promise<RateLimitVerdict> {
    const rule = this.ruleFor(label, key);
    const window = rule.active ? await this.store.look(label, rule, key) : null;
    if (!window) return { allowed: true, retryAfter: 0, remaining: rule.points };
    return judge(rule, window, window.count < rule.points);
  }

  private ruleFor(label: RateLimitLabel, key: string): RateLimitRule {
    return ruleForKey(this.rules[label], label, key);
  }
}

function judge(rule: RateLimitRule, window: Window, allowed: boolean): RateLimitVerdict {
  return { allowed, retryAfter: allowed ? 0 : window.secondsLeft, remaining: Math.max(0, rule.points - window.count) };
}

function tightest(verdicts: readonly RateLimitVerdict[]): RateLimitVerdict {
  return verdicts.reduce((tight, verdict) => (verdict.remaining < tight.remaining ? verdict : tight));
}

function isOfSeveral(key: string, part: string): boolean {
  return partsOf(key).length > 1 && findableParts(key).includes(part);
}
