import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ClientRegistration } from '../app/client-registration.entity.js';
import type { RequestedClient } from '../app/client-registration.rules.js';

/** Without a sign-in; from its last one on it is kept as long as the apps that stand for it. */
const UNUSED = `interval '1 day'`;
/** That no app stands for, in all tenants together. */
const MOST_UNUSED = 10_000;
/** So many of one network make room no earlier than those of others. */
const FEW = 100;
/** Removed by one statement: to make room, and by the purge. */
const EVICTED_AT_ONCE = 10;
const PURGED_AT_ONCE = 1_000;

const HAS_NO_APP = 'NOT EXISTS (SELECT 1 FROM apps a WHERE a.registration_id = r.id)';

@Injectable()
export class ClientRegistrationsRepository {
  /** @param network that asked for it */
  async insert(
    tx: EntityManager,
    id: string,
    { redirectUris, clientName }: RequestedClient,
    network: string,
  ): Promise<Date> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtext('client_registrations'))`);
    await this.makeRoom(tx);
    const [row] = await tx.query<{ created_at: Date }[]>(
      `INSERT INTO client_registrations (id, redirect_uris, client_name, network, expires_at)
       VALUES ($1, $2, $3, $4, now() + ${UNUSED}) RETURNING created_at`,
      [id, [...redirectUris], clientName, network],
    );
    return row!.created_at;
  }

  /**
   * For a sign-in that begins now: from here on {@link purge} leaves it alone, and nothing removes it until the transaction ends.
   * @returns null where it is gone
   */
  async use(tx: EntityManager, id: string): Promise<ClientRegistration | null> {
    const [rows] = await tx.query<[unknown[], number]>(
      `UPDATE client_registrations SET expires_at = greatest(expires_at, now() + ${UNUSED}) WHERE id = $1 RETURNING id`,
      [id],
    );
    return rows.length === 0 ? null : tx.getRepository(ClientRegistration).findOneBy({ id });
  }

  /** Some of those that no sign-in has used in time, and whose apps are gone. @returns whether there may be more */
  async purge(tx: EntityManager): Promise<boolean> {
    const expired = await tx.query<{ id: string }[]>(
      `SELECT r.id FROM client_registrations r WHERE r.expires_at < now() AND ${HAS_NO_APP}
       ORDER BY r.expires_at LIMIT ${PURGED_AT_ONCE} FOR UPDATE SKIP LOCKED`,
    );
    await this.remove(tx, expired);
    return expired.length === PURGED_AT_ONCE;
  }

  /**
   * Where there are too many that no app stands for, the oldest of the network that has registered the most of them go: one that registers
   * without end takes the places of its own clients. Where no network has many, the oldest of all go: a stranger with many networks must
   * not drive out one that many clients share.
   */
  private async makeRoom(tx: EntityManager): Promise<void> {
    const evicted = await tx.query<{ id: string }[]>(`
      SELECT r.id FROM client_registrations r JOIN (
        SELECT r.id, count(*) OVER (PARTITION BY r.network) AS of_network, count(*) OVER () AS total
        FROM client_registrations r WHERE ${HAS_NO_APP}) unused ON unused.id = r.id
      WHERE unused.total >= ${MOST_UNUSED}
      ORDER BY greatest(unused.of_network, ${FEW}) DESC, r.expires_at, r.id LIMIT ${EVICTED_AT_ONCE} FOR UPDATE OF r SKIP LOCKED`);
    await this.remove(tx, evicted);
  }

  /**
   * Locked by the caller, without those that another transaction uses at this moment. This statement sees the apps that were made before
   * the lock; after it none can be.
   */
  private async remove(tx: EntityManager, rows: readonly { readonly id: string }[]): Promise<void> {
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await tx.query(`DELETE FROM client_registrations r WHERE r.id = ANY($1::uuid[]) AND ${HAS_NO_APP}`, [ids]);
  }
}
