import { Injectable } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import { allowLongStatements } from '../connection/long-statements.js';
import type { Query } from './query.js';

/**
 * Maximum time of a statement in a snapshot, and of the pause between two of them while the reader consumes the result.
 */
const STATEMENT_MS = 60_000;
const IDLE_MS = 90_000;

/** Opens snapshots. Each holds a connection of the pool until it is closed, so their number must be limited. */
@Injectable()
export class Snapshots {
  constructor(private readonly dataSource: DataSource) {}

  /** A read-only transaction that keeps seeing the current state of the database, however long it is read from. */
  async open(): Promise<Snapshot> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await allowLongStatements(runner, STATEMENT_MS);
      await runner.query(`SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`);
    } catch (error) {
      await runner.release();
      throw error;
    }
    return new Snapshot(runner);
  }
}

export class Snapshot {
  private isClosed = false;

  constructor(private readonly runner: QueryRunner) {}

  ask<Row>({ text, values }: Query): Promise<Row[]> {
    return this.runner.query(text, values) as Promise<Row[]>;
  }

  /** Ends the transaction. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    try {
      await this.runner.query('ROLLBACK');
    } finally {
      await this.runner.release();
    }
  }
}
