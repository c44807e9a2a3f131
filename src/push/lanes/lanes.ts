import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Logger, type OnModuleDestroy } from '@nestjs/common';
import { failureReason } from '../../delivery/retry.rules.js';
import type { LaneWork } from './lane-work.js';
import { DEFAULT_LANE_OPTIONS, type LaneOptions, roomFor } from './lane.rules.js';

/** A retry that is due sooner has a timer here; the sweep finds the others. */
const TIMER_SECONDS = 60;

/**
 * A lane for each app, so that one app's slow provider never delays another's. Rows are leased for as many places as
 * are free and begun at once: nothing waits in memory, and any number of processes share one app's rows.
 */
export abstract class Lanes<Item extends object> implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(this.constructor.name);
  private readonly lanes = new Map<string, Map<Item, Promise<void>>>();
  /** Apps that may have rows due, in the order in which they get their turn. */
  private readonly line = new Set<string>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private inHand = 0;
  private pump: Promise<void> | null = null;
  private stopping = false;

  constructor(
    private readonly work: LaneWork<Item>,
    private readonly options: LaneOptions = DEFAULT_LANE_OPTIONS,
  ) {}

  /** Some of this app's rows may be due. Returns at once and never throws. */
  wake(appId: string): void {
    if (this.stopping) return;
    this.line.add(appId);
    this.run();
  }

  /** Wakes every app that has rows due: wake-ups that were lost, retries, leases of processes that died. */
  async sweep(): Promise<void> {
    for (const appId of await this.work.listDue()) this.wake(appId);
  }

  /** From here on nothing is taken; what else stops with the process need not wait for that. */
  onModuleDestroy(): void {
    this.stopping = true;
    this.line.clear();
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }

  /** Lets attempts under way finish and gives back the rest, so that another process may take them at once. */
  async beforeApplicationShutdown(): Promise<void> {
    this.onModuleDestroy();
    const patience = new AbortController();
    const late = sleep(this.options.drainSeconds * 1_000, undefined, { signal: patience.signal });
    await Promise.race([this.idle(), late.catch(() => undefined)]);
    patience.abort();
    await this.giveBack([...this.lanes.values()].flatMap((lane) => [...lane.keys()]));
  }

  private async idle(): Promise<void> {
    await this.pump;
    await Promise.all([...this.lanes.values()].flatMap((lane) => [...lane.values()]));
  }

  private run(): void {
    this.pump ??= this.takeTurns().finally(() => {
      this.pump = null;
      // Woken between the last look and here.
      if (this.next() !== null) this.run();
    });
  }

  /** One lease at a time: however many apps are awake, the process asks for one connection here. */
  private async takeTurns(): Promise<void> {
    for (let appId = this.next(); appId !== null; appId = this.next()) await this.turn(appId);
  }

  /** The first in line that has room; the others wait until something of theirs has ended. */
  private next(): string | null {
    if (this.inHand >= this.options.total) return null;
    for (const appId of this.line) if (this.roomOf(appId) > 0) return appId;
    return null;
  }

  private async turn(appId: string): Promise<void> {
    this.line.delete(appId);
    const room = this.roomOf(appId);
    try {
      const items = await this.work.lease(appId, room, this.options.leaseSeconds);
      if (this.stopping) return await this.giveBack(items);
      for (const item of items) this.start(appId, item);
      // There may be more: to the end of the line, the others come first.
      if (items.length === room) this.line.add(appId);
    } catch (error) {
      // The database is away: the sweep finds them again.
      this.report(error);
    }
  }

  private start(appId: string, item: Item): void {
    const lane = this.lanes.get(appId) ?? new Map<Item, Promise<void>>();
    this.lanes.set(appId, lane);
    this.inHand++;
    const attempt = this.attempt(appId, item).finally(() => {
      this.inHand--;
      lane.delete(item);
      if (lane.size === 0) this.lanes.delete(appId);
      this.run();
    });
    lane.set(item, attempt);
  }

  /** Never rejects: what went wrong is due again when the lease has run out. */
  private async attempt(appId: string, item: Item): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const { attemptSeconds } = this.options;
    const late = new Promise<never>((_, reject) => {
      const tell = (): void => reject(new Error(`No end after ${attemptSeconds} s`));
      timer = setTimeout(tell, attemptSeconds * 1_000).unref();
    });
    try {
      const seconds = await Promise.race([this.work.attempt(item), late]);
      if (seconds !== null) this.wakeIn(appId, seconds);
    } catch (error) {
      this.report(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** One timer for what is due within the same second. */
  private wakeIn(appId: string, seconds: number): void {
    if (seconds > TIMER_SECONDS || this.stopping) return;
    const at = Math.ceil(Date.now() / 1_000 + seconds);
    const key = `${appId} ${at}`;
    if (this.timers.has(key)) return;
    const wake = (): void => {
      this.timers.delete(key);
      this.wake(appId);
    };
    this.timers.set(key, setTimeout(wake, at * 1_000 - Date.now()).unref());
  }

  private async giveBack(items: readonly Item[]): Promise<void> {
    if (items.length > 0) await this.work.giveBack(items).catch((error: unknown) => this.report(error));
  }

  private roomOf(appId: string): number {
    return roomFor({ lane: this.lanes.get(appId)?.size ?? 0, all: this.inHand }, this.options);
  }

  private report(error: unknown): void {
    this.logger.error(`Lanes of ${this.work.name}: ${failureReason(error)}`);
  }
}
