import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ClientRegistration } from '../app/client-registration.entity.js';
import type { RequestedClient } from '../app/client-registration.rules.js';
import { Statements } from '../../database/statements.js';

/** Lifetime of a registration without a sign-in. After its last sign-in it is kept as long as its apps. */
const UNUSED = `interval '1 day'`;
/** Registrations without an app, in all tenants together. */
const MAX_UNUSED_REGISTRATIONS = 10_000;
/** Up to this number, registrations of one network are removed no earlier than those of others. */
const FEW = 100;
/** Rows that one statement removes, to make room and in the purge. */
const EVICTED_AT_ONCE = 10;
const PURGED_AT_ONCE = 1_000;

const EXISTS = { name: 'apps.registration_exists', text: 'SELECT 1 FROM client_registrations WHERE id = $1' };

const HAS_NO_APP = 'NOT EXISTS (SELECT 1 FROM apps a WHERE a.registration_id = r.id)';

@Injectable()
export class ClientRegistrationsRepository {
  constructor(private readonly statements: Statements) {}

  async exists(id: string): Promise<boolean> {
    return (await this.statements.run(EXISTS, [id])).length > 0;
  }

  /** @param network that sent the request */
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
   * Marks a registration as used at the start of a sign-in: {@link purge} skips it from now on, and it is locked until
   * the transaction ends.
   * @returns null if it no longer exists
   */
  async use(tx: EntityManager, id: string): Promise<ClientRegistration | null> {
    const [rows] = await tx.query<[unknown[], number]>(
      `UPDATE client_registrations SET expires_at = greatest(expires_at, now() + ${UNUSED}) WHERE id = $1 RETURNING id`,
      [id],
    );
    return rows.length === 0 ? null : tx.getRepository(ClientRegistration).findOneBy({ id });
  }

  /**
   * Removes a batch of registrations that no sign-in has used in time, and whose apps are gone. @returns whether there
   * may be more
   */
  async purge(tx: EntityManager): Promise<boolean> {
    const expired = await tx.query<{ id: string }[]>(
      `SELECT r.id FROM client_registrations r WHERE r.expires_at < now() AND ${HAS_NO_APP}
       ORDER BY r.expires_at LIMIT ${PURGED_AT_ONCE} FOR UPDATE SKIP LOCKED`,
    );
    await this.remove(tx, expired);
    return expired.length === PURGED_AT_ONCE;
  }

  /**
   * If there are too many registrations without an app, removes the oldest of the network that has the most: a network
   * that registers without end replaces its own clients. If no network has many, removes the oldest of all, so that an
   * attacker with many networks cannot displace one that many clients share.
   */
  private async makeRoom(tx: EntityManager): Promise<void> {
    const evicted = await tx.query<{ id: string }[]>(`
      SELECT r.id FROM client_registrations r JOIN (
        SELECT r.id, count(*) OVER (PARTITION BY r.network) AS of_network, count(*) OVER () AS total
        FROM client_registrations r WHERE ${HAS_NO_APP}) unused ON unused.id = r.id
      WHERE unused.total >= ${MAX_UNUSED_REGISTRATIONS}
      ORDER BY greatest(unused.of_network, ${FEW}) DESC, r.expires_at, r.id LIMIT ${EVICTED_AT_ONCE} FOR UPDATE OF r SKIP LOCKED`);
    await this.remove(tx, evicted);
  }

  /**
   * The rows are locked by the caller, which skips those in use. This statement sees all apps that were created before
   * the lock; none can be created after it.
   */
  private async remove(tx: EntityManager, rows: readonly { readonly id: string }[]): Promise<void> {
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await tx.query(`DELETE FROM client_registrations r WHERE r.id = ANY($1::uuid[]) AND ${HAS_NO_APP}`, [ids]);
  }
}
