import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, Raw, Repository } from 'typeorm';
import { FirstAdminLink } from './first-admin-link.entity.js';

@Injectable()
export class FirstAdminRepository {
  constructor(@InjectRepository(FirstAdminLink) private readonly repository: Repository<FirstAdminLink>) {}

  /** Only one link is valid at a time: a new one replaces those that were issued before. */
  async replace(tx: EntityManager, tokenHash: Buffer, seconds: number): Promise<void> {
    await tx.query('DELETE FROM first_admin_links WHERE used_at IS NULL');
    await tx.query(
      'INSERT INTO first_admin_links (token_hash, expires_at) VALUES ($1, now() + make_interval(secs => $2))',
      [tokenHash, seconds],
    );
  }

  isUsable(tokenHash: Buffer): Promise<boolean> {
    return this.repository.existsBy({ tokenHash, usedAt: IsNull(), expiresAt: Raw((column) => `${column} > now()`) });
  }

  async consume(tx: EntityManager, tokenHash: Buffer): Promise<boolean> {
    const [, count] = (await tx.query(
      'UPDATE first_admin_links SET used_at = now() WHERE token_hash = $1 AND used_at IS NULL AND expires_at > now()',
      [tokenHash],
    )) as [unknown, number];
    return count > 0;
  }

  /** Serializes the creation of the first admin until the transaction ends. */
  async lock(tx: EntityManager): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtext('first_admin'))`);
  }
}
