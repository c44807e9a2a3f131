import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { ClientRegistration } from './client-registration.entity.js';
import type { RequestedClient } from './client-registration.rules.js';

/** Without a sign-in; from its last one on it is kept as long as the apps that stand for it. */
const UNUSED = `interval '1 day'`;
/** That no app stands for, in all tenants together. */
const MOST_UNUSED = 10_000;

@Injectable()
export class ClientRegistrationsRepository {
  constructor(@InjectRepository(ClientRegistration) private readonly repository: Repository<ClientRegistration>) {}

  /** In place of the oldest that has not been used, where there are too many. */
  async insert(tx: EntityManager, id: string, { redirectUris, clientName }: RequestedClient): Promise<Date> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtext('client_registrations'))`);
    await tx.query(`
      DELETE FROM client_registrations WHERE id IN (
        SELECT r.id FROM client_registrations r
        WHERE NOT EXISTS (SELECT 1 FROM apps a WHERE a.registration_id = r.id)
        ORDER BY r.expires_at DESC, r.id OFFSET ${MOST_UNUSED - 1})`);
    const [row] = await tx.query<{ created_at: Date }[]>(
      `INSERT INTO client_registrations (id, redirect_uris, client_name, expires_at)
       VALUES ($1, $2, $3, now() + ${UNUSED}) RETURNING created_at`,
      [id, [...redirectUris], clientName],
    );
    return row!.created_at;
  }

  /**
   * For a sign-in that begins now: from here on {@link purge} leaves it alone. Both change this row, so the database decides which was
   * first. @returns null where it is gone
   */
  async use(id: string): Promise<ClientRegistration | null> {
    const [rows] = await this.repository.query<[unknown[], number]>(
      `UPDATE client_registrations SET expires_at = greatest(expires_at, now() + ${UNUSED}) WHERE id = $1 RETURNING id`,
      [id],
    );
    return rows.length === 0 ? null : this.repository.findOneBy({ id });
  }

  /** Those that no sign-in has used in time, and whose apps are gone. */
  async purge(): Promise<void> {
    await this.repository.query(`
      DELETE FROM client_registrations r
      WHERE expires_at < now() AND NOT EXISTS (SELECT 1 FROM apps a WHERE a.registration_id = r.id)`);
  }
}
