import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, Repository } from 'typeorm';
import { purgeInBatches } from '../../database/purge-in-batches.js';
import { DeepPages } from '../../database/queries/deep-pages.js';
import { countUpTo, readNumberedPage } from '../../database/queries/numbered-page.js';
import { Statements } from '../../database/statements.js';
import { type Platform, PushDevice } from './push-device.entity.js';

/** An attempt without an answer, or with 408 or 5xx. */
export interface UnansweredAttempt {
  readonly deviceId: string;
  /** The token at that time: a device that has registered again since is not affected. */
  readonly sealedToken: string;
  /** See `LeasedDelivery`. */
  readonly isProbe: boolean;
  /** The server, as in the endpoint. */
  readonly host: string;
}

/** Without its token, which is long. */
export type ListedDevice = Pick<PushDevice, 'id' | 'userId' | 'platform' | 'lastSeenAt'>;
const LISTED = ['id', 'userId', 'platform', 'lastSeenAt'].map((name) => `listed.${name}`);

export type RemovedDevice = Pick<PushDevice, 'id' | 'userId' | 'appId' | 'platform'>;

/** Maximum number of devices of one user at one app: more than a user has, few enough for one notification. */
export const MAX_DEVICES_PER_USER = 20;
/**
 * Devices are counted up to this number. Counting all of a larger app would take longer than a request may, on a
 * connection that others need.
 */
export const MAX_COUNTED_DEVICES = 1_000_000;
/** A device that was not seen for this long is unused, and providers drop its token. */
const UNSEEN = '270 days';
/** Consecutive attempts without an answer after which a device is paused. */
const SILENT_AFTER = 3;
/** Seconds of the first pause, doubled after each further attempt, up to an hour. Half of the time is random. */
const FIRST_SILENCE_SECONDS = 15;
const MAX_SILENCE_SECONDS = 3_600;

/**
 * Concurrent attempts pause a device only once. After that, only the attempt at the end of the pause makes it longer.
 */
const NOTE_SILENCE = `UPDATE push_devices d SET unanswered = s.unanswered, silent_host = s.host,
    silent_until = CASE WHEN s.unanswered >= ${SILENT_AFTER} THEN now() + make_interval(secs => (0.5 + random() / 2)
      * least(${FIRST_SILENCE_SECONDS} * power(2, least(s.unanswered, 30) - ${SILENT_AFTER}), ${MAX_SILENCE_SECONDS})) END
  FROM (
    SELECT v.id, t.host,
      CASE WHEN t.probes THEN v.unanswered + 1 ELSE least(v.unanswered + t.times, ${SILENT_AFTER}) END AS unanswered
    FROM (
      SELECT id, token, max(host) AS host, count(*)::int AS times, bool_or(probe) AS probes
      FROM jsonb_to_recordset($1::jsonb) AS a(id uuid, token text, host text, probe boolean) GROUP BY id, token
    ) AS t JOIN push_devices v ON v.id = t.id AND v.sealed_token = t.token
    WHERE t.probes OR v.silent_until IS NULL
    ORDER BY v.id FOR NO KEY UPDATE OF v
  ) AS s WHERE d.id = s.id`;

const REMOVED = 'RETURNING id, user_id AS "userId", app_id AS "appId", platform';

@Injectable()
export class PushDevicesRepository {
  constructor(
    @InjectRepository(PushDevice) private readonly devices: Repository<PushDevice>,
    private readonly statements: Statements,
    private readonly deepPages: DeepPages,
  ) {}

  /**
   * One row per app and token, decided by the database. A device of another user moves to the user who registers it
   * now.
   * @returns the device's id, and whether it is new or has a new user
   */
  async register(
    tx: EntityManager,
    device: Pick<PushDevice, 'id' | 'appId' | 'userId' | 'platform' | 'tokenHash'>,
    seal: (id: string) => string,
  ): Promise<{ id: string; news: 'made' | 'moved' | 'seen' }> {
    const { id, appId, userId, platform, tokenHash } = device;
    const rows = (await tx.query(
      `INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT ON CONSTRAINT uq_push_devices_token DO NOTHING RETURNING id`,
      [id, appId, userId, platform, tokenHash, seal(id)],
    )) as { id: string }[];
    if (rows[0]) return { id, news: 'made' };
    const known = await tx
      .getRepository(PushDevice)
      .findOne({ where: { appId, tokenHash }, lock: { mode: 'pessimistic_write' } });
    // Removed after the INSERT has found it.
    if (!known) return this.register(tx, device, seal);
    // Encrypted again, because a subscription may have new keys. The app is running there, so its push service is tried
    // again.
    const answers = { unanswered: 0, silentUntil: null };
    const change = { userId, platform, sealedToken: seal(known.id), lastSeenAt: () => 'now()', ...answers };
    await tx.update(PushDevice, { id: known.id }, change);
    return { id: known.id, news: known.userId === userId ? 'seen' : 'moved' };
  }

  /** Removes all but those seen last. The caller must have locked the user. */
  async removeBeyond(
    tx: EntityManager,
    { userId, appId }: Pick<PushDevice, 'userId' | 'appId'>,
  ): Promise<RemovedDevice[]> {
    const [rows] = (await tx.query(
      `DELETE FROM push_devices WHERE id IN (
         SELECT id FROM push_devices WHERE user_id = $1 AND app_id = $2
         ORDER BY last_seen_at DESC, created_at DESC, id OFFSET ${MAX_DEVICES_PER_USER}) ${REMOVED}`,
      [userId, appId],
    )) as [RemovedDevice[], number];
    return rows;
  }

  async noteSilence(tx: EntityManager, attempts: readonly UnansweredAttempt[]): Promise<void> {
    const rows = attempts.map(({ deviceId: id, sealedToken: token, isProbe: probe, host }) => ({
      id,
      token,
      host,
      probe,
    }));
    await tx.query(NOTE_SILENCE, [JSON.stringify(rows)]);
  }

  /** Removes devices that were not seen for {@link UNSEEN}. */
  purge(): Promise<void> {
    return purgeInBatches(this.statements, { table: 'push_devices', column: 'last_seen_at', age: UNSEEN });
  }

  /** Last seen first. */
  async list(
    appId: string,
    page: { limit: number; page: number },
    userIds?: readonly string[],
  ): Promise<{ devices: ListedDevice[]; total: number; hasMore: boolean }> {
    const where = { appId, ...(userIds ? { userId: In([...userIds]) } : {}) };
    const rows = () => this.devices.createQueryBuilder('listed').select(LISTED).where(where);
    const list = { name: 'push_devices', filter: { appId, userIds }, time: 'lastSeenAt', rows } as const;
    const { rows: devices, hasMore } = await readNumberedPage(this.deepPages, list, page);
    const isWhole = page.page === 1 && !hasMore;
    return { devices, hasMore, total: isWhole ? devices.length : await countUpTo(rows(), MAX_COUNTED_DEVICES) };
  }

  /** From the index alone. */
  count(appId: string): Promise<number> {
    return countUpTo(this.devices.createQueryBuilder('listed').where({ appId }), MAX_COUNTED_DEVICES);
  }

  /** @returns null: the app has too many devices to look at each of them, because no index has the platform */
  async countOf(appId: string, platforms: readonly Platform[]): Promise<number | null> {
    const [found] = await this.devices.query<{ count: number; examined: number }[]>(
      `SELECT count(*) FILTER (WHERE platform = ANY($2))::int AS count, count(*)::int AS examined
       FROM (SELECT platform FROM push_devices WHERE app_id = $1 LIMIT ${MAX_COUNTED_DEVICES}) AS read`,
      [appId, platforms],
    );
    return found!.examined < MAX_COUNTED_DEVICES ? found!.count : null;
  }

  listOfUser(userId: string): Promise<PushDevice[]> {
    return this.devices.find({ where: { userId }, order: { lastSeenAt: 'DESC', id: 'DESC' } });
  }

  find(id: string, tx?: EntityManager): Promise<PushDevice | null> {
    return (tx?.getRepository(PushDevice) ?? this.devices).findOneBy({ id });
  }

  /** @returns null if it belongs to another user or does not exist */
  async removeOf(tx: EntityManager, userId: string, id: string): Promise<RemovedDevice | null> {
    const [rows] = (await tx.query(`DELETE FROM push_devices WHERE id = $2 AND user_id = $1 ${REMOVED}`, [
      userId,
      id,
    ])) as [RemovedDevice[], number];
    return rows[0] ?? null;
  }

  async removeAllOf(tx: EntityManager, userId: string): Promise<RemovedDevice[]> {
    const [rows] = (await tx.query(`DELETE FROM push_devices WHERE user_id = $1 ${REMOVED}`, [userId])) as [
      RemovedDevice[],
      number,
    ];
    return rows;
  }

  /** @returns whether it was there */
  async remove(tx: EntityManager, id: string): Promise<boolean> {
    return ((await tx.delete(PushDevice, { id })).affected ?? 0) > 0;
  }
}
