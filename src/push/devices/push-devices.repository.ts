import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, Repository } from 'typeorm';
import { type Platform, PLATFORMS, PushDevice } from './push-device.entity.js';

export type RemovedDevice = Pick<PushDevice, 'id' | 'userId' | 'appId' | 'platform'>;

const REMOVED = 'RETURNING id, user_id AS "userId", app_id AS "appId", platform';

@Injectable()
export class PushDevicesRepository {
  constructor(@InjectRepository(PushDevice) private readonly devices: Repository<PushDevice>) {}

  /**
   * One row per app and token, decided by the database; another person's device moves to the user who registers it now.
   * @returns the device's id, and whether it is new or has changed hands
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
      .findOneOrFail({ where: { appId, tokenHash }, lock: { mode: 'pessimistic_write' } });
    // Encrypted again: a subscription may have new keys.
    const change = { userId, platform, sealedToken: seal(known.id), lastSeenAt: () => 'now()' };
    await tx.update(PushDevice, { id: known.id }, change);
    return { id: known.id, news: known.userId === userId ? 'seen' : 'moved' };
  }

  /** Last seen first. */
  async list(
    appId: string,
    { limit, page }: { limit: number; page: number },
    userIds?: readonly string[],
  ): Promise<{ devices: PushDevice[]; total: number }> {
    const [devices, total] = await this.devices.findAndCount({
      where: { appId, ...(userIds ? { userId: In([...userIds]) } : {}) },
      order: { lastSeenAt: 'DESC', id: 'DESC' },
      take: limit,
      skip: (page - 1) * limit,
    });
    return { devices, total };
  }

  count(appId: string, platforms: readonly Platform[] = PLATFORMS): Promise<number> {
    return this.devices.countBy({ appId, platform: In([...platforms]) });
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
