import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
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

/**
 * Processes of the previous version do not know `cancelled_at`: for them, the code is expired and the link unknown. They
 * would delete a change that was made since, without undoing it.
 */
const CANCEL = `
  UPDATE email_changes
  SET cancelled_at = now(), expires_at = created_at, cancelled_stop_hash = stop_hash, stop_hash = NULL
  WHERE user_id = $1 AND completed_at IS NULL AND cancelled_at IS NULL`;

const HAS_LINK = ['stopHash', 'cancelledStopHash', 'undoHash']
  .map((hash) => `change.${hash} = :tokenHash`)
  .join(' OR ');

const DELETE_FROM = `
  DELETE FROM email_changes
  WHERE user_id = $1 AND (created_at >= $2 OR (cancelled_at IS NOT NULL AND old_email = $3))`;

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

  /**
   * The row stays, and with it the link that was mailed to the old address: the intruder who requested the change must
   * not be able to void it.
   * @returns whether a change was open
   */
  async cancel(tx: EntityManager, userId: string): Promise<boolean> {
    const [, cancelled] = (await tx.query(CANCEL, [userId])) as [unknown, number];
    return cancelled > 0;
  }

  /** The open change, if its code can still be entered. */
  async findOpen(userId: string, credentialsVersion: number, tx?: EntityManager): Promise<EmailChange | null> {
    return (tx?.getRepository(EmailChange) ?? this.changes)
      .createQueryBuilder('change')
      .where('change.userId = :userId AND change.credentialsVersion = :credentialsVersion', {
        userId,
        credentialsVersion,
      })
      .andWhere('change.completedAt IS NULL AND change.cancelledAt IS NULL AND change.expiresAt > now()')
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

  /** The change whose notice contains the token, also a cancelled one. */
  findStoppable(tokenHash: Buffer, tx?: EntityManager): Promise<EmailChange | null> {
    return (tx?.getRepository(EmailChange) ?? this.changes)
      .createQueryBuilder('change')
      .where(`(${HAS_LINK}) AND change.stoppableUntil > now()`, { tokenHash })
      .getOne();
  }

  /** The oldest change away from that address that was requested since then and can still be undone. */
  findUndoable(
    userId: string,
    oldEmail: string,
    tx?: EntityManager,
    since: Date = new Date(0),
  ): Promise<EmailChange | null> {
    return (tx?.getRepository(EmailChange) ?? this.changes)
      .createQueryBuilder('change')
      .where('change.userId = :userId AND change.oldEmail = :oldEmail', { userId, oldEmail })
      .andWhere('change.createdAt >= :since', { since })
      .andWhere('change.completedAt IS NOT NULL AND change.undoHash IS NOT NULL AND change.stoppableUntil > now()')
      .orderBy('change.createdAt')
      .getOne();
  }

  /**
   * Deletes this change and all later ones: no link of a later one may restore an address that this undo removes. Also
   * deletes earlier ones that were cancelled at the same address, because each of its links works only once.
   */
  async deleteFrom(tx: EntityManager, { userId, createdAt, oldEmail }: EmailChange): Promise<void> {
    await tx.query(DELETE_FROM, [userId, createdAt, oldEmail]);
  }

  purge(): Promise<void> {
    const purge = { table: 'email_changes', column: 'stoppable_until', age: '0', where: 'expires_at < now()' };
    return purgeInBatches(this.statements, purge);
  }
}
