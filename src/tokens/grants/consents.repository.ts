import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { Consent } from './consent.entity.js';

/** Consents that are listed for one user. */
const MOST = 1_000;

@Injectable()
export class ConsentsRepository {
  constructor(@InjectRepository(Consent) private readonly repository: Repository<Consent>) {}

  find(userId: string, appId: string, resource: string): Promise<Consent | null> {
    return this.repository.findOneBy({ userId, appId, resource });
  }

  /** It stays so until the transaction ends: who takes it back waits for what is being issued, and ends it. */
  hold(tx: EntityManager, userId: string, appId: string, resource: string): Promise<Consent | null> {
    const where = { userId, appId, resource };
    return tx.getRepository(Consent).findOne({ where, lock: { mode: 'pessimistic_read' } });
  }

  /** Locked until the transaction ends, where there is one. */
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
   * All of these apps, with the sign-ins that they were given for: another consent does not revive them. By the index of users and apps,
   * because families have none of apps alone.
   * @returns how many users had one
   */
  async removeAll(tx: EntityManager, appIds: readonly string[]): Promise<number> {
    const [counted] = await tx.query<{ users: number }[]>(
      `WITH gone AS (DELETE FROM consents WHERE app_id = ANY($1::uuid[]) RETURNING user_id, app_id),
         pairs AS (SELECT DISTINCT user_id, app_id FROM gone),
         ended AS (
           UPDATE refresh_families f SET revoked_at = now(), revoked_for = 'consent_revoked' FROM pairs p
           WHERE f.user_id = p.user_id AND f.app_id = p.app_id AND f.revoked_at IS NULL)
       SELECT count(DISTINCT user_id)::int AS users FROM pairs`,
      [appIds],
    );
    return counted!.users;
  }

  /** All of an app. @returns whether there was one */
  async remove(tx: EntityManager, userId: string, appId: string): Promise<boolean> {
    const { affected } = await tx.delete(Consent, { userId, appId });
    return (affected ?? 0) > 0;
  }
}
