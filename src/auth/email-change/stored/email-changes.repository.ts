import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, Repository } from 'typeorm';
import { purgeInBatches } from '../../../database/purge-in-batches.js';
import { Statements } from '../../../database/statements.js';
import { EmailChange } from './email-change.entity.js';

export type NewEmailChange = Pick<
  EmailChange,
  'id' | 'userId' | 'oldEmail' | 'newEmail' | 'codeHash' | 'credentialsVersion' | 'stopHash'
>;

const INSERT = `
  INSERT INTO email_changes (id, user_id, old_email, new_email, code_hash, credentials_version, stop_hash, expires_at,
                             stoppable_until)
  VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8), now() + make_interval(secs => $9))`;

@Injectable()
export class EmailChangesRepository {
  constructor(
    @InjectRepository(EmailChange) private readonly changes: Repository<EmailChange>,
    private readonly statements: Statements,
  ) {}

  /**
   * Stores a change, in place of the open one if there is one. The caller has locked the user's row.
   * @param seconds lifetimes of the code and of the link that stops the change; 0: no link
   */
  async begin(tx: EntityManager, change: NewEmailChange, seconds: { code: number; stop: number }): Promise<void> {
    await this.cancel(tx, change.userId);
    const { id, userId, oldEmail, newEmail, codeHash, credentialsVersion, stopHash } = change;
    const values = [id, userId, oldEmail, newEmail, codeHash, credentialsVersion, stopHash, seconds.code, seconds.stop];
    await tx.query(INSERT, values);
  }

  /** @returns whether a change was open */
  async cancel(tx: EntityManager, userId: string): Promise<boolean> {
    const result = await tx.delete(EmailChange, { userId, completedAt: IsNull() });
    return (result.affected ?? 0) > 0;
  }

  /** The open change, if its code can still be entered. */
  async findOpen(userId: string, credentialsVersion: number, tx?: EntityManager): Promise<EmailChange | null> {
    return (tx?.getRepository(EmailChange) ?? this.changes)
      .createQueryBuilder('change')
      .where('change.userId = :userId AND change.credentialsVersion = :credentialsVersion', {
        userId,
        credentialsVersion,
      })
      .andWhere('change.completedAt IS NULL AND change.expiresAt > now()')
      .getOne();
  }

  /**
   * Counts a wrong code. The caller has locked the user's row, so no other one is counted at the same time.
   * @returns number of wrong codes so far
   */
  async countTry(tx: EntityManager, { id }: EmailChange): Promise<number> {
    const [rows] = (await tx.query('UPDATE email_changes SET tries = tries + 1 WHERE id = $1 RETURNING tries', [
      id,
    ])) as [{ tries: number }[], number];
    return rows[0]?.tries ?? 0;
  }

  /** @param undo hash and lifetime of the token that undoes the change; null: it cannot be undone */
  async complete(
    tx: EntityManager,
    { id }: EmailChange,
    undo: { readonly hash: Buffer; readonly seconds: number } | null,
  ): Promise<void> {
    await tx.query(
      `UPDATE email_changes SET completed_at = now(), undo_hash = $2, stoppable_until = now() + make_interval(secs => $3)
       WHERE id = $1`,
      [id, undo?.hash ?? null, undo?.seconds ?? 0],
    );
  }

  /** The change that the token from a notice can still stop or undo. */
  findStoppable(tokenHash: Buffer, tx?: EntityManager): Promise<EmailChange | null> {
    return (tx?.getRepository(EmailChange) ?? this.changes)
      .createQueryBuilder('change')
      .where('(change.stopHash = :tokenHash OR change.undoHash = :tokenHash) AND change.stoppableUntil > now()', {
        tokenHash,
      })
      .getOne();
  }

  /** The oldest change away from that address that can still be undone. */
  findUndoable(userId: string, oldEmail: string, tx?: EntityManager): Promise<EmailChange | null> {
    return (tx?.getRepository(EmailChange) ?? this.changes)
      .createQueryBuilder('change')
      .where('change.userId = :userId AND change.oldEmail = :oldEmail', { userId, oldEmail })
      .andWhere('change.completedAt IS NOT NULL AND change.undoHash IS NOT NULL AND change.stoppableUntil > now()')
      .orderBy('change.createdAt')
      .getOne();
  }

  /** Deletes this change and all later ones: no link of a later one may restore an address that this undo removes. */
  async deleteFrom(tx: EntityManager, { userId, createdAt }: EmailChange): Promise<void> {
    await tx.query('DELETE FROM email_changes WHERE user_id = $1 AND created_at >= $2', [userId, createdAt]);
  }

  purge(): Promise<void> {
    const purge = { table: 'email_changes', column: 'stoppable_until', age: '0', where: 'expires_at < now()' };
    return purgeInBatches(this.statements, purge);
  }
}
