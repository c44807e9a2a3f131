import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { IS_SIGNED_IN } from './client-use.sql.js';

/** A client that has registered itself and is gone, with those who were its members. */
export interface RemovedClient {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly members: readonly { readonly userId: string; readonly roles: string[]; readonly status: string }[];
}

type Client = Omit<RemovedClient, 'members'>;

const CLIENT = `id, tenant_id AS "tenantId", name`;

/** With a user whom an operator has suspended it stays: without it, they could join it again. */
const IS_UNUSED = `NOT EXISTS (SELECT 1 FROM enrollments e WHERE e.app_id = a.id AND (e.status <> 'active' OR ${IS_SIGNED_IN}))`;

const LOOKED_AT = 'coalesce(metadata_expires_at, created_at)';

/**
 * A client that no user has: a day after it was last looked at, which every sign-in does that begins. One that users have: 90 days, as
 * long as a sign-in lasts.
 */
const HAS_EXPIRED = `(
  (${LOOKED_AT} < now() - interval '90 days' AND NOT EXISTS (SELECT 1 FROM enrollments e WHERE e.app_id = a.id AND e.status <> 'active'))
  OR (${LOOKED_AT} < now() - interval '1 day' AND NOT EXISTS (SELECT 1 FROM enrollments e WHERE e.app_id = a.id)))`;

/** Clients of one transaction. */
const BATCH = 50;

/** Removes clients that have registered themselves and are no longer used. */
@Injectable()
export class UnusedClientsRepository {
  /**
   * Of the clients of a tenant one that is not in use, to make room for another one: first those that no user has, then those whose sign-ins
   * have all ended, and of each the one that was looked at longest ago.
   */
  async makeRoom(tx: EntityManager, tenantId: string): Promise<RemovedClient | null> {
    const unused = await tx.query<Client[]>(
      `SELECT ${CLIENT} FROM apps a WHERE tenant_id = $1 AND origin <> 'operator' AND is_active AND archived_at IS NULL
         AND ${IS_UNUSED}
       ORDER BY EXISTS (SELECT 1 FROM enrollments e WHERE e.app_id = a.id), ${LOOKED_AT}, id
       LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [tenantId],
    );
    return (await this.remove(tx, unused, IS_UNUSED))[0] ?? null;
  }

  /** Some of those whose time has come; none: there are no more. */
  async removeExpired(tx: EntityManager): Promise<RemovedClient[]> {
    const expired = await tx.query<Client[]>(
      `SELECT ${CLIENT} FROM apps a WHERE origin <> 'operator' AND (is_active OR off_with_tenant) AND archived_at IS NULL
         AND ${HAS_EXPIRED}
       ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
    );
    return this.remove(tx, expired, HAS_EXPIRED);
  }

  /**
   * Of these, which are locked, those for which the condition still holds: a user who joined one or signed in to it at that moment had it
   * locked, and this statement sees who has done so before.
   */
  private async remove(tx: EntityManager, locked: readonly Client[], condition: string): Promise<RemovedClient[]> {
    if (locked.length === 0) return [];
    const ids = locked.map(({ id }) => id);
    const members = await tx.query<(RemovedClient['members'][number] & { appId: string })[]>(
      `SELECT app_id AS "appId", user_id AS "userId", roles, status FROM enrollments WHERE app_id = ANY ($1) ORDER BY user_id`,
      [ids],
    );
    const [removed] = await tx.query<[{ id: string }[], number]>(
      `DELETE FROM apps a WHERE id = ANY ($1) AND ${condition} RETURNING id`,
      [ids],
    );
    const gone = new Set(removed.map(({ id }) => id));
    return locked
      .filter(({ id }) => gone.has(id))
      .map((client) => ({ ...client, members: members.filter(({ appId }) => appId === client.id) }));
  }
}
