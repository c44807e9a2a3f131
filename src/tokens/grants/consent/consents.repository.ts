import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { Consent } from './consent.entity.js';
import { DROP_ALLOWED_AT_APPS, DROP_ALLOWED_OF_USER } from './allowed-access.sql.js';

/** Maximum number of consents that are listed for a user. */
const MOST = 1_000;

@Injectable()
export class ConsentsRepository {
  constructor(@InjectRepository(Consent) private readonly repository: Repository<Consent>) {}

  find(userId: string, appId: string, resource: string): Promise<Consent | null> {
    return this.repository.findOneBy({ userId, appId, resource });
  }

  /**
   * Prevents changes until the transaction ends: revoking the consent waits for tokens that are being issued, and then
   * ends them.
   */
  hold(tx: EntityManager, userId: string, appId: string, resource: string): Promise<Consent | null> {
    const where = { userId, appId, resource };
    return tx.getRepository(Consent).findOne({ where, lock: { mode: 'pessimistic_read' } });
  }

  /** The consent, if there is one, locked until the transaction ends. */
  lock(tx: EntityManager, userId: string, appId: string, resource: string): Promise<Consent | null> {
    const where = { userId, appId, resource };
    return tx.getRepository(Consent).findOne({ where, lock: { mode: 'pessimistic_write' } });
  }

  async save(tx: EntityManager, consent: Omit<Consent, 'grantedAt'>): Promise<void> {
    await tx.query(
      `INSERT INTO consents (user_id, app_id, resource, scopes, asked) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT ON CONSTRAINT pk_consents DO UPDATE
         SET scopes = EXCLUDED.scopes, asked = EXCLUDED.asked, granted_at = now()`,
      [consent.userId, consent.appId, consent.resource, consent.scopes, consent.asked],
    );
  }

  /** Newest first. */
  list(userId: string): Promise<Consent[]> {
    return this.repository.find({ where: { userId }, order: { grantedAt: 'DESC', appId: 'ASC' }, take: MOST });
  }

  /**
   * Removes the consents to all of these apps, with the sign-ins and codes that depend on them, which another consent
   * must not make valid again. The consents are deleted first, by a separate statement: a running exchange holds one,
   * and the next statement sees its result.
   * @returns number of users who had one
   */
  async removeAll(tx: EntityManager, appIds: readonly string[]): Promise<number> {
    const [gone] = (await tx.query('DELETE FROM consents WHERE app_id = ANY($1::uuid[]) RETURNING user_id, app_id', [
      appIds,
    ])) as [{ user_id: string; app_id: string }[], number];
    // Uses the index of users and apps: an app may have many families without a consent.
    await tx.query(
      `UPDATE refresh_families f SET revoked_at = now(), revoked_for = 'consent_revoked'
       FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[])) AS p (user_id, app_id)
       WHERE f.user_id = p.user_id AND f.app_id = p.app_id AND f.revoked_at IS NULL`,
      [gone.map((each) => each.user_id), gone.map((each) => each.app_id)],
    );
    for (const statement of DROP_ALLOWED_AT_APPS) await tx.query(statement, [appIds]);
    return new Set(gone.map((each) => each.user_id)).size;
  }

  /**
   * Removes all consents of a user, with codes and devices that have not fetched their tokens. @returns the apps that
   * had one
   */
  async removeAllOf(tx: EntityManager, userId: string): Promise<{ appId: string; tenantId: string }[]> {
    const apps = await tx.query<{ appId: string; tenantId: string }[]>(
      `SELECT DISTINCT a.id AS "appId", a.tenant_id AS "tenantId" FROM consents c JOIN apps a ON a.id = c.app_id
       WHERE c.user_id = $1 ORDER BY 1`,
      [userId],
    );
    for (const statement of DROP_ALLOWED_OF_USER) await tx.query(statement, [userId]);
    return apps;
  }

  /** Removes all consents of a user to an app. @returns whether there was one */
  async remove(tx: EntityManager, userId: string, appId: string): Promise<boolean> {
    const { affected } = await tx.delete(Consent, { userId, appId });
    return (affected ?? 0) > 0;
  }
}
