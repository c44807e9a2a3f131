import { Injectable } from '@nestjs/common';
import type { Pool, QueryResultRow } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';

/** A statement that PostgreSQL plans once per connection; `name` must be unique in the service. */
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

/** Runs named prepared statements on TypeORM's own connections, for the few hot paths where planning would cost most. */
@Injectable()
export class Statements {
  constructor(private readonly dataSource: DataSource) {}

  /** Inside `tx` when given, else on a pooled connection of its own. */
  async run<Row extends QueryResultRow>(statement: Statement, values: unknown[], tx?: EntityManager): Promise<Row[]> {
    const connection = tx
      ? ((await tx.queryRunner!.connect()) as Queryable)
      : ((this.dataSource.driver as unknown as { master: Pool }).master as unknown as Queryable);
    const result = await connection.query<Row>({ name: statement.name, text: statement.text, values });
    return result.rows;
  }
}
