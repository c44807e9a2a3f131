import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { SETTINGS, type Settings } from '../../config/settings.js';

const HEARTBEAT_MS = 1_000;
/** A server that does not answer within this time counts as gone: at most three seconds after its last answer. */
const ANSWER_TIMEOUT_MS = 2_000;
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

/** Has no handlers: see {@link NotificationListener.catchUp}. */
const CATCH_UP_CHANNEL = 'catch_up';

type PayloadHandler = (payload: string) => void;

/** Whether the server is a standby, or was made read-only: after a failover, the old server may be either. */
const SELECT_READ_ONLY = 'current_setting(\'transaction_read_only\')::boolean AS "readOnly"';

/** Milliseconds since 1970, as the column `now`. */
export const SELECT_CLOCK = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now';

/** A reading of the database's clock. */
export interface ClockReading {
  /** In Unix milliseconds. */
  readonly databaseMs: number;
  /** The clock was read between these two moments, in milliseconds of `performance.now()`. */
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

/**
 * Receives PostgreSQL's NOTIFY on a separate connection, opened with the first channel and kept open for the life of
 * the process.
 *
 * Notifications are lost while the connection is down. A cache that depends on them must not be used while `connected`
 * is false, and must be emptied in `onReconnect`.
 */
@Injectable()
export class NotificationListener implements OnApplicationShutdown {
  private readonly logger = new Logger(NotificationListener.name);
  private readonly handlers = new Map<string, PayloadHandler[]>();
  private readonly reconnectHandlers: (() => void)[] = [];
  private readonly heartbeatHandlers: ((reading: ClockReading) => void)[] = [];
  private client: pg.Client | null = null;
  private listening = false;
  private unconfirmed = 0;
  private timer: NodeJS.Timeout | null = null;
  private pause = MIN_PAUSE_MS;
  private begun = false;
  private closed = false;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** True if all channels are subscribed and the server answered the last heartbeat. */
  get connected(): boolean {
    return this.listening && this.unconfirmed === 0;
  }

  /** `handler` must not throw; it is called synchronously, in the order of the commits. */
  on(channel: string, handler: PayloadHandler): void {
    const known = this.handlers.get(channel);
    if (known) {
      known.push(handler);
      return;
    }
    this.handlers.set(channel, [handler]);
    if (!this.begun) {
      this.begun = true;
      void this.connect();
    } else if (this.listening && this.client) {
      const client = this.client;
      this.unconfirmed++;
      this.listen(client, channel)
        .catch((error: unknown) => this.lose(client, error))
        .finally(() => this.unconfirmed--);
    }
  }

  /** Called whenever the channels have been subscribed, including the first time, before `connected` becomes true. */
  onReconnect(handler: () => void): void {
    this.reconnectHandlers.push(handler);
  }

  /** Called with each heartbeat that the server answers, about once a second. */
  onHeartbeat(handler: (reading: ClockReading) => void): void {
    this.heartbeatHandlers.push(handler);
  }

  /**
   * Resolves when the notifications of everything that was committed before the call have been delivered here. Sends a
   * notification itself: PostgreSQL delivers all in the order of their commits, and this one before it answers. Does
   * nothing while there is no connection. @throws if the server does not answer
   */
  async catchUp(): Promise<void> {
    if (this.listening) await this.client?.query(`NOTIFY ${CATCH_UP_CHANNEL}`);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    this.listening = false;
    if (this.timer) clearTimeout(this.timer);
    const client = this.client;
    this.client = null;
    if (!client) return;
    client.removeAllListeners('end');
    const late = setTimeout(() => destroy(client), ANSWER_TIMEOUT_MS);
    await client.end().catch(() => undefined);
    clearTimeout(late);
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.settings.databaseUrl!,
      application_name: 'identity-broker listener',
      connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
    });
    this.client = client;
    client.on('error', (error) => this.lose(client, error));
    client.on('end', () => this.lose(client, new Error('the server closed the connection')));
    client.on('notification', ({ channel, payload }) => this.deliver(channel, payload ?? ''));
    try {
      await client.connect();
      // A channel may be added in the meantime; the map's iterator includes it.
      for (const channel of this.handlers.keys()) await this.listen(client, channel);
      await this.listen(client, CATCH_UP_CHANNEL);
      if (this.client !== client) return;
      for (const handler of this.reconnectHandlers) handler();
      this.listening = true;
      this.pause = MIN_PAUSE_MS;
      this.scheduleHeartbeat(client);
    } catch (error) {
      this.lose(client, error);
    }
  }

  private async listen(client: pg.Client, channel: string): Promise<void> {
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
  }

  private deliver(channel: string, payload: string): void {
    for (const handler of this.handlers.get(channel) ?? []) {
      try {
        handler(payload);
      } catch (error) {
        this.logger.error(`Handler of channel ${channel}: ${String(error)}`);
      }
    }
  }

  private scheduleHeartbeat(client: pg.Client): void {
    this.timer = setTimeout(() => {
      const sentAtMs = performance.now();
      client.query<{ now: number; readOnly: boolean }>(`${SELECT_CLOCK}, ${SELECT_READ_ONLY}`).then(
        ({ rows: [row] }) => {
          if (this.client !== client) return;
          // Changes are committed at another server, which notifies its own listeners.
          if (row!.readOnly) return this.lose(client, new Error('the server is read-only'));
          const reading = { sentAtMs, databaseMs: row!.now, receivedAtMs: performance.now() };
          for (const handler of this.heartbeatHandlers) handler(reading);
          this.scheduleHeartbeat(client);
        },
        (error: unknown) => this.lose(client, error),
      );
    }, HEARTBEAT_MS).unref();
  }

  /** Drops this connection and reconnects after a pause, which doubles with each failure. */
  private lose(client: pg.Client, error: unknown): void {
    if (this.closed || this.client !== client) return;
    this.client = null;
    this.listening = false;
    if (this.timer) clearTimeout(this.timer);
    destroy(client);
    this.logger.warn(
      `Connection lost: ${error instanceof Error ? error.message : String(error)}; reconnecting in ${this.pause} ms`,
    );
    this.timer = setTimeout(() => void this.connect(), this.pause).unref();
    this.pause = Math.min(this.pause * 2, MAX_PAUSE_MS);
  }
}

/** Closes the socket directly, because a server that hangs would not read a termination message. */
function destroy(client: pg.Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
