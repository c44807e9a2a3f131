import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { App } from '../app/app.entity.js';
import { IS_SIGNED_IN } from './client-use.sql.js';

/** A self-registered client that was removed, with its former members. */
export interface RemovedClient {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly members: readonly { readonly userId: string; readonly roles: string[]; readonly status: string }[];
}

type Client = Omit<RemovedClient, 'members'>;

const CLIENT = `id, tenant_id AS "tenantId", name`;

/** A client with a suspended user is kept: if it was removed, the user could join it again. */
const IS_UNUSED = `NOT EXISTS (SELECT 1 FROM enrollments e WHERE e.app_id = a.id AND (e.status <> 'active' OR ${IS_SIGNED_IN}))`;

const LOOKED_AT = 'coalesce(metadata_expires_at, created_at)';

/**
 * A client without members expires a day after its metadata has expired, which the start of a sign-in renews. One whose
 * members are all active expires 90 days after its metadata, the maximum length of a sign-in.
 */
const HAS_EXPIRED = `(
  (${LOOKED_AT} < now() - interval '90 days' AND NOT EXISTS (SELECT 1 FROM enrollments e WHERE e.app_id = a.id AND e.status <> 'active'))
  OR (${LOOKED_AT} < now() - interval '1 day' AND NOT EXISTS (SELECT 1 FROM enrollments e WHERE e.app_id = a.id)))`;

/** Number of clients that one search returns. */
const BATCH = 500;

/**
 * Most members of a client that can be removed to make room, because another client waits for it. Larger ones are
 * removed only when they expire.
 */
const MAX_MEMBERS = 100;
const IS_SMALL = `(SELECT count(*) FROM (SELECT FROM enrollments e WHERE e.app_id = a.id LIMIT ${MAX_MEMBERS + 1}) AS counted) <= ${MAX_MEMBERS}`;

/** A client that an operator has switched off is kept: it could register again and would be switched on. */
const MAY_EXPIRE = `origin <> 'operator' AND (is_active OR off_with_tenant) AND archived_at IS NULL`;

/** Removes self-registered clients that are no longer used. */
@Injectable()
export class UnusedClientsRepository {
  constructor(@InjectRepository(App) private readonly apps: Repository<App>) {}

  /**
   * Removes one unused client of a tenant to make room for another: clients without members first, then those whose
   * sign-ins have all ended; within each group the one whose metadata expired first.
   */
  async makeRoom(tx: EntityManager, tenantId: string): Promise<RemovedClient | null> {
    const unused = await tx.query<Client[]>(
      `SELECT ${CLIENT} FROM apps a WHERE tenant_id = $1 AND origin <> 'operator' AND is_active AND archived_at IS NULL
         AND ${IS_UNUSED} AND ${IS_SMALL}
       ORDER BY EXISTS (SELECT 1 FROM enrollments e WHERE e.app_id = a.id), ${LOOKED_AT}, id
       LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [tenantId],
    );
    return this.remove(tx, unused[0], IS_UNUSED);
  }

  /** A batch of expired clients. @param after the last id of the batch before; null: from the start */
  async listExpired(after: string | null): Promise<string[]> {
    const rows = await this.apps.query<{ id: string }[]>(
      `SELECT id FROM apps a WHERE ${MAY_EXPIRE} AND ${HAS_EXPIRED} AND ($1::uuid IS NULL OR id > $1) ORDER BY id LIMIT ${BATCH}`,
      [after],
    );
    return rows.map(({ id }) => id);
  }

  /** @returns null: it has not expired, or another transaction uses it */
  async removeExpired(tx: EntityManager, id: string): Promise<RemovedClient | null> {
    const expired = await tx.query<Client[]>(
      `SELECT ${CLIENT} FROM apps a WHERE id = $1 AND ${MAY_EXPIRE} AND ${HAS_EXPIRED} FOR UPDATE SKIP LOCKED`,
      [id],
    );
    return this.remove(tx, expired[0], HAS_EXPIRED);
  }

  /**
   * Removes a locked client if the condition still holds. A user who was joining or signing in to it had locked it, and
   * this statement sees what they committed.
   */
  private async remove(
    tx: EntityManager,
    locked: Client | undefined,
    condition: string,
  ): Promise<RemovedClient | null> {
    if (!locked) return null;
    // No user can join in the meantime, because the app is locked.
    const members = await tx.query<RemovedClient['members']>(
      'SELECT user_id AS "userId", roles, status FROM enrollments WHERE app_id = $1 ORDER BY user_id',
      [locked.id],
    );
    const [removed] = await tx.query<[unknown[], number]>(
      `DELETE FROM apps a WHERE id = $1 AND ${condition} RETURNING id`,
      [locked.id],
    );
    return removed.length > 0 ? { ...locked, members } : null;
  }
}
