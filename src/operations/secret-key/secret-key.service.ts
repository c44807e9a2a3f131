import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { SealedValueUnreadable, SecretBox } from '../../crypto/secret-box.js';
import { Transactions } from '../../database/transactions.js';
import { ENCRYPTED_COLUMNS, type EncryptedColumn } from './encrypted-columns.js';
import { type EncryptedValue, EncryptedColumnsRepository } from './encrypted-columns.repository.js';

/** Rows per transaction, so that locks are held for milliseconds only. */
const BATCH = 100;

/** The result for one column. */
export interface ReencryptedColumn {
  /** `table.column`. */
  readonly name: string;
  readonly resealed: number;
  /** Keys of rows that neither SECRET_KEY nor SECRET_KEY_PREVIOUS decrypts, or that were altered. */
  readonly unreadable: readonly string[];
}

/**
 * Encrypts values with SECRET_KEY that were encrypted with SECRET_KEY_PREVIOUS. Every process that has both keys can
 * read every row at any time: a row contains the old value or the new one, and is replaced only if it still has the old
 * one.
 */
@Injectable()
export class SecretKeyService {
  constructor(
    private readonly columns: EncryptedColumnsRepository,
    private readonly box: SecretBox,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** Can be stopped and run again at any time. */
  async rotate(ctx: RequestContext): Promise<ReencryptedColumn[]> {
    const done: ReencryptedColumn[] = [];
    for (const column of ENCRYPTED_COLUMNS) done.push(await this.reseal(column));
    const resealed: Record<string, number> = {};
    for (const { name, resealed: count } of done) resealed[name] = (resealed[name] ?? 0) + count;
    if (done.some((column) => column.resealed > 0))
      await this.audit.recordAlone(ctx, 'secret_key.rotated', {
        outcome: done.every(({ unreadable }) => unreadable.length === 0) ? 'success' : 'failure',
        metadata: { resealed },
      });
    return done;
  }

  private async reseal(column: EncryptedColumn): Promise<ReencryptedColumn> {
    const unreadable: string[] = [];
    let resealed = 0;
    for (let after: string | null = null; ;) {
      const values = await this.columns.list(column, after, BATCH);
      const stale = values.filter(({ sealed }) => this.box.isStale(sealed));
      const fresh = stale.flatMap((value) => {
        const sealed = this.sealAgain(column, value);
        if (sealed === null) unreadable.push(value.key);
        return sealed === null ? [] : [{ value, sealed }];
      });
      resealed += await this.transactions.run(async (tx) => {
        let replaced = 0;
        for (const { value, sealed } of fresh) if (await this.columns.replace(tx, column, value, sealed)) replaced++;
        return replaced;
      });
      if (values.length < BATCH) return { name: `${column.table}.${column.column}`, resealed, unreadable };
      after = values.at(-1)!.key;
    }
  }

  private sealAgain(column: EncryptedColumn, { reference, sealed }: EncryptedValue): string | null {
    const row = column.aadOf(reference);
    try {
      return this.box.seal(this.box.open(sealed, row), row);
    } catch (error) {
      if (error instanceof SealedValueUnreadable) return null;
      throw error;
    }
  }
}
