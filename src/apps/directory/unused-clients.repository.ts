import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { App } from '../app/app.entity.js';
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

/** Clients that one search finds. */
const BATCH = 500;

/** Members of a client that makes room: they are removed while another client waits. Larger ones go by their age. */
const MOST_MEMBERS = 100;
const IS_SMALL = `(SELECT count(*) FROM (SELECT FROM enrollments e WHERE e.app_id = a.id LIMIT ${MOST_MEMBERS + 1}) AS counted) <= ${MOST_MEMBERS}`;

/** Not one that an operator has switched off: it would come back switched on. */
const MAY_EXPIRE = `origin <> 'operator' AND (is_active OR off_with_tenant) AND archived_at IS NULL`;

/** Removes clients that have registered themselves and are no longer used. */
@Injectable()
export class UnusedClientsRepository {
  constructor(@InjectRepository(App) private readonly apps: Repository<App>) {}

  /**
   * Of the clients of a tenant one that is not in use, to make room for another one: first those that no user has, then those whose sign-ins
   * have all ended, and of each the one that was looked at longest ago.
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

  /** Some of those whose time has come. @param after the last one before; null: from the first one on */
  async listExpired(after: string | null): Promise<string[]> {
    const rows = await this.apps.query<{ id: string }[]>(
      `SELECT id FROM apps a WHERE ${MAY_EXPIRE} AND ${HAS_EXPIRED} AND ($1::uuid IS NULL OR id > $1) ORDER BY id LIMIT ${BATCH}`,
      [after],
    );
    return rows.map(({ id }) => id);
  }

  /** @returns null: its time has not come, or it is in use at this moment */
  async removeExpired(tx: EntityManager, id: string): Promise<RemovedClient | null> {
    const expired = await tx.query<Client[]>(
      `SELECT ${CLIENT} FROM apps a WHERE id = $1 AND ${MAY_EXPIRE} AND ${HAS_EXPIRED} FOR UPDATE SKIP LOCKED`,
      [id],
    );
    return this.remove(tx, expired[0], HAS_EXPIRED);
  }

  /**
   * One that is locked, if the condition still holds: a user who joined it or signed in to it at that moment had it locked, and this
   * statement sees who has done so before.
   */
  private async remove(
    tx: EntityManager,
    locked: Client | undefined,
    condition: string,
  ): Promise<RemovedClient | null> {
    if (!locked) return null;
    // No one joins meanwhile: the app is locked.
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
