import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Logger, type OnModuleDestroy } from '@nestjs/common';
import { tracing } from '../../common/tracing/tracing.js';
import { failureReason } from './failure-reason.js';
import { capacityOfOwned, capacityOfOwner, type QueueOptions } from './capacity.rules.js';
import { GroupOwners } from './group-owners.js';
import type { Claim, QueueWork } from './queue-work.js';
import { WaitingGroups } from './waiting-groups.js';
import { WakeTimers } from './wake-timers.js';

/**
 * The engine for all work after a commit. It claims as many due rows as it has free slots and starts them at once:
 * nothing waits in memory, and any number of processes can share the rows. Groups take turns, so that the slow work of
 * one never delays that of another.
 */
export abstract class QueueEngine<Item extends object> implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(this.constructor.name);
  private readonly inHand = new Map<string, Map<Item, Promise<void>>>();
  private readonly waiting = new WaitingGroups();
  private readonly timers = new WakeTimers((group) => this.wake(group));
  private count = 0;
  /** Slots reserved for items that are being claimed, by group. */
  private readonly reserved = new Map<string, number>();
  private reservedByAll = 0;
  private readonly owners: GroupOwners;
  private readonly claims = new Set<Promise<unknown>>();
  private claiming: Promise<void> | null = null;
  private stopping: Promise<void> | null = null;
  private renewal: NodeJS.Timeout | null = null;

  constructor(
    private readonly work: QueueWork<Item>,
    private readonly options: QueueOptions,
  ) {
    this.owners = new GroupOwners(options.ownerShare === undefined ? null : (group) => this.ownerOf(group));
  }

  /** Some rows of this group may be due. Returns at once and never throws. */
  wake(group: string): void {
    this.wait(group);
    if (!this.stopping) this.claimAll();
  }

  /** Wakes every group with due rows: lost announcements, retries, expired leases of processes that died. */
  async sweep(): Promise<void> {
    for (const group of await this.work.listDue()) this.wake(group);
  }

  /** Resolves when nothing is being claimed or attempted. */
  async idle(): Promise<void> {
    while (this.claiming || this.count > 0) await Promise.all([this.claiming, ...this.attempts()]);
  }

  /** Nothing is claimed from now on. All engines of the process finish their work at the same time. */
  onModuleDestroy(): void {
    this.stopping ??= this.stop();
  }

  /** Resolves when running attempts have finished, or were released for other processes to claim. */
  beforeApplicationShutdown(): Promise<void> {
    return (this.stopping ??= this.stop());
  }

  /** The owner of a group, for `ownerShare`. Must always be the same for a group. */
  protected ownerOf(group: string): Promise<string> | string {
    return group;
  }

  /**
   * Runs the item that `claim` finds, if any. Resolves after its attempt, or at once if its group has no free slot, so
   * that announcements of other groups are received; the group continues when one of its attempts has ended.
   */
  protected async runOne(group: string, claim: () => Promise<Item | null>): Promise<void> {
    // Resolving at once would consume announcements that another process could take. Together with the items of a
    // sweep, no more are in progress than there are slots.
    while (!this.stopping && this.isFull()) await this.nextEnd();
    if (this.stopping) return this.stopping;
    if (!this.owners.knows(group)) {
      await this.learn(group);
      return this.runOne(group, claim);
    }
    if (this.capacityOf(group) === 0) return this.wait(group);
    const { claimed, begun } = await this.reserving(group, 1, claim, (item) => item && this.startAll(group, [item]));
    if (begun) return begun[0];
    if (claimed) return this.release([claimed]);
    this.forgetIfDone(group);
    this.claimAll();
  }

  /** Resolves after an attempt or a claim has ended, which may have freed a slot. */
  private async nextEnd(): Promise<void> {
    await Promise.race([...this.attempts(), ...this.claims]);
  }

  /** Reserves slots of the group while `claim` looks for items, until `begin` has started them. */
  private async reserving<T, Begun>(
    group: string,
    slots: number,
    claim: () => Promise<T>,
    begin: (claimed: T) => Begun,
  ): Promise<{ readonly claimed: T; readonly begun: Begun }> {
    this.reserve(group, slots);
    const claiming = claim();
    const ended = claiming.catch(() => undefined);
    this.claims.add(ended);
    try {
      const claimed = await claiming;
      return { claimed, begun: begin(claimed) };
    } finally {
      this.reserve(group, -slots);
      this.claims.delete(ended);
    }
  }

  private reserve(group: string, slots: number): void {
    const left = (this.reserved.get(group) ?? 0) + slots;
    if (left === 0) this.reserved.delete(group);
    else this.reserved.set(group, left);
    this.reservedByAll += slots;
    this.owners.add(group, slots);
  }

  private async stop(): Promise<void> {
    this.waiting.clear();
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
      // A group may have been woken since the last check.
      if (this.next() !== null) this.claimAll();
    });
  }

  /** One claim at a time, so that many waiting groups use only one connection at a time. */
  private async takeTurns(): Promise<void> {
    for (let group = this.next(); group !== null; group = this.next()) await this.claim(group);
  }

  /** The first waiting group that may take more. The others wait until one of their attempts has ended. */
  private next(): string | null {
    if (this.isFull()) return null;
    return this.waiting.next(
      (owner) => this.roomOf(owner) > 0,
      (group) => this.capacityOf(group) > 0,
    );
  }

  private wait(group: string): void {
    if (!this.stopping) this.waiting.add(group, this.owners.ownerOf(group));
  }

  private async claim(group: string): Promise<void> {
    this.waiting.take(group);
    try {
      // Repeated in case the group was forgotten in the meantime.
      while (!this.owners.knows(group)) await this.learn(group);
      const capacity = this.capacityOf(group);
      if (capacity === 0) return this.wait(group);
      const { leaseSeconds } = this.options;
      const claim = () => this.work.claim(group, capacity, leaseSeconds);
      const begin = ({ items }: Claim<Item>) => this.startAll(group, items);
      const { claimed, begun } = await this.reserving(group, capacity, claim, begin);
      if (!begun) return await this.release(claimed.items);
      // Moves the group behind the others.
      if (claimed.hasMore) this.wait(group);
    } catch (error) {
      // The database is unavailable; the sweep will find the rows again.
      this.report(error);
    } finally {
      this.forgetIfDone(group);
    }
  }

  private async learn(group: string): Promise<void> {
    await this.owners.learn(group);
    // A group that was woken in the meantime takes its turn among those of its owner.
    if (this.waiting.has(group)) this.wait(group);
  }

  private forgetIfDone(group: string): void {
    if (!this.inHand.has(group) && !this.reserved.has(group) && !this.waiting.has(group)) this.owners.forget(group);
  }

  /** @returns null if the engine is stopping */
  private startAll(group: string, items: readonly Item[]): Promise<void>[] | null {
    return this.stopping ? null : items.map((item) => this.start(group, item));
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

  /** A row added while others were being claimed may have woken no process: its writer saw the others waiting. */
  private lookOnceMore(group: string): void {
    this.inHand.delete(group);
    this.wait(group);
  }

  /** Never rejects: a row whose result could not be recorded is due again when its lease expires. */
  private async attempt(group: string, item: Item): Promise<void> {
    try {
      const seconds = await this.withinTime(item);
      if (seconds !== null && !this.stopping) this.timers.set(group, seconds);
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

  private async release(items: readonly Item[]): Promise<void> {
    if (items.length > 0) await this.work.release(items).catch((error: unknown) => this.report(error));
  }

  private capacityOf(group: string): number {
    const ofGroup = (this.inHand.get(group)?.size ?? 0) + (this.reserved.get(group) ?? 0);
    const owner = this.owners.slotsUsedBy(this.owners.ownerOf(group));
    return capacityOfOwned({ group: ofGroup, owner, all: this.taken }, this.options);
  }

  private roomOf(owner: string): number {
    return capacityOfOwner({ owner: this.owners.slotsUsedBy(owner), all: this.taken }, this.options);
  }

  private isFull(): boolean {
    return this.taken >= this.options.total;
  }

  private get taken(): number {
    return this.count + this.reservedByAll;
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
