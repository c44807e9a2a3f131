import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Logger, type OnModuleDestroy } from '@nestjs/common';
import { tracing } from '../../common/tracing/tracing.js';
import { failureReason } from './failure-reason.js';
import { capacityOfOwned, type QueueOptions } from './capacity.rules.js';
import { OwnersOfGroups } from './owners-of-groups.js';
import type { QueueWork } from './queue-work.js';

/** A retry that is due sooner has a timer here; the sweep finds the others. */
const MAX_TIMER_SECONDS = 60;

/**
 * The engine for all work after the commit. It claims as many due rows as it has free places and starts them at once:
 * nothing waits in memory, and any number of processes share the rows. Groups take turns, so that the slow work of one
 * never delays another's.
 */
export abstract class QueueEngine<Item extends object> implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(this.constructor.name);
  private readonly inHand = new Map<string, Map<Item, Promise<void>>>();
  /** Groups that may have due rows, in the order in which they are served. */
  private readonly waiting = new Set<string>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private count = 0;
  /** Places of items that are being claimed, by group. */
  private readonly reserved = new Map<string, number>();
  private reservedByAll = 0;
  private readonly owners: OwnersOfGroups;
  private readonly claims = new Set<Promise<unknown>>();
  private claiming: Promise<void> | null = null;
  private stopping: Promise<void> | null = null;
  private renewal: NodeJS.Timeout | null = null;

  constructor(
    private readonly work: QueueWork<Item>,
    private readonly options: QueueOptions,
  ) {
    this.owners = new OwnersOfGroups((group) => this.ownerOf(group));
  }

  /** Some rows of this group may be due. Returns at once and never throws. */
  wake(group: string): void {
    if (this.stopping) return;
    this.waiting.add(group);
    this.claimAll();
  }

  /** Wakes every group that has rows due: lost announcements, retries, leases of processes that died. */
  async sweep(): Promise<void> {
    for (const group of await this.work.listDue()) this.wake(group);
  }

  /** Resolves when nothing is being claimed or attempted. */
  async idle(): Promise<void> {
    while (this.claiming || this.count > 0) await Promise.all([this.claiming, ...this.attempts()]);
  }

  /** From here on nothing is claimed, and all engines of the process finish their work at the same time. */
  onModuleDestroy(): void {
    this.stopping ??= this.stop();
  }

  /** Resolves when running attempts have finished, or were released so that another process can claim them at once. */
  beforeApplicationShutdown(): Promise<void> {
    return (this.stopping ??= this.stop());
  }

  /** Whose group it is, for the share of owners. Always the same for a group. */
  protected ownerOf(group: string): Promise<string> | string {
    return group;
  }

  /**
   * Runs the one item that `claim` finds, if any. Resolves after its attempt; at once where its group has no place now, so that
   * the announcements of other groups come: the group goes on when one of its attempts has ended.
   */
  protected async runOne(group: string, claim: () => Promise<Item | null>): Promise<void> {
    // Answering at once would use up, one after the other, announcements that another process can take.
    // Together with what a sweep found, no more is in hand than there are places.
    while (!this.stopping && this.isFull()) await this.nextEnd();
    if (this.stopping) return this.stopping;
    if (this.capacityOf(group) === 0) return void this.waiting.add(group);
    const item = await this.reserving(group, 1, claim);
    if (item && this.stopping) return this.release([item]);
    if (item) await this.start(group, item);
    else this.claimAll();
  }

  /** After an attempt or a claim has ended, which may have freed a place. */
  private async nextEnd(): Promise<void> {
    await Promise.race([...this.attempts(), ...this.claims]);
  }

  /** Reserves this many places of the group while `claim` looks for items. */
  private async reserving<T>(group: string, places: number, claim: () => Promise<T>): Promise<T> {
    this.reserve(group, places);
    const claimed = claim();
    const ended = claimed.catch(() => undefined);
    this.claims.add(ended);
    try {
      return await claimed;
    } finally {
      this.reserve(group, -places);
      this.claims.delete(ended);
    }
  }

  private reserve(group: string, places: number): void {
    const left = (this.reserved.get(group) ?? 0) + places;
    if (left === 0) this.reserved.delete(group);
    else this.reserved.set(group, left);
    this.reservedByAll += places;
    this.owners.add(group, places);
  }

  private async stop(): Promise<void> {
    this.waiting.clear();
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    const drained = new AbortController();
    const late = sleep(this.options.drainSeconds * 1_000, undefined, { signal: drained.signal });
    await Promise.race([this.idle(), late.catch(() => undefined)]);
    drained.abort();
    if (this.renewal) clearInterval(this.renewal);
    await this.release([...this.items()]);
  }

  private claimAll(): void {
    this.claiming ??= this.takeTurns().finally(() => {
      this.claiming = null;
      // Woken between the last look and here.
      if (this.next() !== null) this.claimAll();
    });
  }

  /** One claim at a time: however many groups are awake, it asks for one connection at a time. */
  private async takeTurns(): Promise<void> {
    for (let group = this.next(); group !== null; group = this.next()) await this.claim(group);
  }

  /** The first waiting group that may take more; the others wait until one of their attempts has ended. */
  private next(): string | null {
    if (this.isFull()) return null;
    for (const group of this.waiting) if (this.capacityOf(group) > 0) return group;
    return null;
  }

  private async claim(group: string): Promise<void> {
    this.waiting.delete(group);
    try {
      if (this.options.ownerShare !== undefined) await this.owners.learn(group);
      const capacity = this.capacityOf(group);
      if (capacity === 0) return void this.waiting.add(group);
      const { leaseSeconds } = this.options;
      const { items, hasMore } = await this.reserving(group, capacity, () =>
        this.work.claim(group, capacity, leaseSeconds),
      );
      if (this.stopping) return await this.release(items);
      for (const item of items) void this.start(group, item);
      // Other groups come first.
      if (hasMore) this.waiting.add(group);
    } catch (error) {
      // The database is unavailable: the sweep finds the rows again.
      this.report(error);
    }
  }

  private start(group: string, item: Item): Promise<void> {
    const mine = this.inHand.get(group) ?? new Map<Item, Promise<void>>();
    this.inHand.set(group, mine);
    this.count++;
    this.owners.add(group, 1);
    this.keepLeases();
    const attempt = this.attempt(group, item).finally(() => {
      this.count--;
      this.owners.add(group, -1);
      mine.delete(item);
      if (mine.size === 0) this.lookOnceMore(group);
      this.claimAll();
    });
    mine.set(item, attempt);
    return attempt;
  }

  /** A row that came while others were being claimed may have woken no process, because it saw them waiting. */
  private lookOnceMore(group: string): void {
    this.inHand.delete(group);
    if (!this.stopping) this.waiting.add(group);
  }

  /** Never rejects: a row whose result could not be recorded is due again when its lease has run out. */
  private async attempt(group: string, item: Item): Promise<void> {
    try {
      const seconds = await this.withinTime(item);
      if (seconds !== null) this.wakeIn(group, seconds);
    } catch (error) {
      this.report(error);
    }
  }

  private async withinTime(item: Item): Promise<number | null> {
    let timer: NodeJS.Timeout | undefined;
    const { attemptSeconds } = this.options;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), attemptSeconds * 1_000).unref();
    });
    try {
      const result = await Promise.race([this.traced(item), late]);
      if (result !== 'late') return result;
    } finally {
      clearTimeout(timer);
    }
    await this.work.timedOut(item, new Error(`No end after ${attemptSeconds} s`));
    return null;
  }

  private traced(item: Item): Promise<number | null> {
    const { work } = this;
    const attempt = () => work.attempt(item);
    return tracing.current ? tracing.current.attempt(work.name, work.kindOf(item), attempt) : attempt();
  }

  /** A lease that is longer than the longest attempt needs no renewal. */
  private keepLeases(): void {
    const { leaseSeconds, attemptSeconds } = this.options;
    if (this.renewal || leaseSeconds > attemptSeconds) return;
    this.renewal = setInterval(() => void this.renew(), (leaseSeconds * 1_000) / 3).unref();
  }

  private async renew(): Promise<void> {
    const items = [...this.items()];
    if (items.length === 0) return;
    await this.work.renew(items, this.options.leaseSeconds).catch((error: unknown) => this.report(error));
  }

  /** One timer for what is due within the same second. */
  private wakeIn(group: string, seconds: number): void {
    if (seconds > MAX_TIMER_SECONDS || this.stopping) return;
    const at = Math.ceil(Date.now() / 1_000 + seconds);
    const key = `${group} ${at}`;
    if (this.timers.has(key)) return;
    const wake = (): void => {
      this.timers.delete(key);
      this.wake(group);
    };
    this.timers.set(key, setTimeout(wake, at * 1_000 - Date.now()).unref());
  }

  private async release(items: readonly Item[]): Promise<void> {
    if (items.length > 0) await this.work.release(items).catch((error: unknown) => this.report(error));
  }

  private capacityOf(group: string): number {
    const ofGroup = (this.inHand.get(group)?.size ?? 0) + (this.reserved.get(group) ?? 0);
    const [owner, all] = [this.owners.placesOf(group), this.count + this.reservedByAll];
    return capacityOfOwned({ group: ofGroup, owner, all }, this.options);
  }

  private isFull(): boolean {
    return this.count + this.reservedByAll >= this.options.total;
  }

  private *items(): Iterable<Item> {
    for (const group of this.inHand.values()) yield* group.keys();
  }

  private *attempts(): Iterable<Promise<void>> {
    for (const group of this.inHand.values()) yield* group.values();
  }

  private report(error: unknown): void {
    this.logger.error(`Queue ${this.work.name}: ${failureReason(error)}`);
  }
}
