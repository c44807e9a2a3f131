import { Injectable } from '@nestjs/common';
import type { Pool, QueryResultRow } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { isUndone } from './violated-constraint.js';

/** A prepared statement; `name` must be unique in the service. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

interface Queryable {
  query<Row extends QueryResultRow>(config: {
    name: string;
    text: string;
    values: unknown[];
  }): Promise<{ rows: Row[] }>;
}

async function rowsOf<Row extends QueryResultRow>(
  connection: Queryable,
  { name, text }: Statement,
  values: unknown[],
): Promise<Row[]> {
  return (await connection.query<Row>({ name, text, values })).rows;
}

/** Runs named prepared statements on TypeORM's connections, for frequent statements where planning would cost most. */
@Injectable()
export class Statements {
  constructor(private readonly dataSource: DataSource) {}

  /** Runs in `tx` if given, otherwise on a pooled connection, and then once more after a deadlock. */
  async run<Row extends QueryResultRow>(statement: Statement, values: unknown[], tx?: EntityManager): Promise<Row[]> {
    if (tx) return rowsOf<Row>((await tx.queryRunner!.connect()) as Queryable, statement, values);
    const pool = (this.dataSource.driver as unknown as { master: Pool }).master as unknown as Queryable;
    try {
      return await rowsOf<Row>(pool, statement, values);
    } catch (error) {
      if (!isUndone(error)) throw error;
      return rowsOf<Row>(pool, statement, values);
    }
  }
}
