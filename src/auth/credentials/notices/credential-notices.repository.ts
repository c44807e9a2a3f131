import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Raw, Repository } from 'typeorm';
import { purgeExpired } from '../../../database/purge-expired.js';
import { Statements } from '../../../database/statements.js';
import { CredentialNotice } from './credential-notice.entity.js';

/**
 * The link is sent to the authoritative address: while a change of the address can be undone, the one from before the
 * oldest such change. An unverified address gets none.
 */
const ADD = {
  name: 'auth.add_credential_notice',
  text: `INSERT INTO credential_notices (stop_hash, user_id, email, expires_at)
    SELECT $2, u.id, coalesce(c.old_email, u.email), now() + make_interval(secs => $3)
    FROM users u LEFT JOIN LATERAL (
      SELECT old_email FROM email_changes
      WHERE user_id = u.id AND completed_at IS NOT NULL AND undo_hash IS NOT NULL AND stoppable_until > now()
      ORDER BY created_at LIMIT 1) c ON true
    WHERE u.id = $1 AND u.email_verified
    RETURNING email, email = (SELECT email FROM users WHERE id = $1) AS "isCurrent"`,
};

export interface Recipient {
  readonly email: string;
  readonly isCurrent: boolean;
}

@Injectable()
export class CredentialNoticesRepository {
  constructor(
    @InjectRepository(CredentialNotice) private readonly notices: Repository<CredentialNotice>,
    private readonly statements: Statements,
  ) {}

  /** @returns the recipient of the link, and whether it is the account's address; null if none is verified */
  async add(tx: EntityManager, userId: string, stopHash: Buffer, seconds: number): Promise<Recipient | null> {
    const [row] = await this.statements.run<Recipient & Record<string, unknown>>(ADD, [userId, stopHash, seconds], tx);
    return row ?? null;
  }

  /** A notice whose link is still valid. */
  find(stopHash: Buffer, tx?: EntityManager): Promise<CredentialNotice | null> {
    const isOpen = { stopHash, expiresAt: Raw((column) => `${column} > now()`) };
    return (tx?.getRepository(CredentialNotice) ?? this.notices).findOneBy(isOpen);
  }

  async deleteOf(tx: EntityManager, userId: string): Promise<void> {
    await tx.delete(CredentialNotice, { userId });
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'credential_notices');
  }
}
