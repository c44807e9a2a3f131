import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { EncryptedColumn } from './encrypted-columns.js';

export interface EncryptedValue {
  readonly key: string;
  readonly reference: string;
  readonly sealed: string;
}

/** Reads and writes {@link EncryptedColumn}s. Their names come from the source code, never from input. */
@Injectable()
export class EncryptedColumnsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** In the order of the key, after `after`. */
  list(column: EncryptedColumn, after: string | null, limit: number): Promise<EncryptedValue[]> {
    const { key, table } = column;
    const sealed = encryptedText(column);
    return this.dataSource.query<EncryptedValue[]>(
      `SELECT ${key}::text AS key, (${column.reference ?? key})::text AS reference, ${sealed} AS sealed FROM ${table}
       WHERE ${sealed} IS NOT NULL AND ${column.where ?? 'true'} ${after === null ? '' : `AND ${key} > $2`}
       ORDER BY ${key} LIMIT $1`,
      after === null ? [limit] : [limit, after],
    );
  }

  /** Replaces `old` by `fresh` if the row still has the old value. @returns whether it did */
  async replace(tx: EntityManager, column: EncryptedColumn, { key, sealed: old }: EncryptedValue, fresh: string) {
    const value =
      column.member === undefined ? '$3' : `jsonb_set(${column.column}, '${column.member}', to_jsonb($3::text))`;
    const rows = await tx.query<[unknown[], number]>(
      `UPDATE ${column.table} SET ${column.column} = ${value} WHERE ${column.key} = $1 AND ${encryptedText(column)} = $2`,
      [key, old, fresh],
    );
    return rows[1] > 0;
  }
}

function encryptedText({ column, member }: EncryptedColumn): string {
  return member === undefined ? column : `(${column} #>> '${member}')`;
}
