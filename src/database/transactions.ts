import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { driverError } from './violated-constraint.js';

/** Serialization failure and deadlock: PostgreSQL undid everything, so the whole use case may run again. */
const RETRIABLE = new Set(['40001', '40P01']);
const ATTEMPTS = 3;

/** Opens transactions. Only services call it; `tx` is then passed on in plain sight. */
@Injectable()
export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /** One transaction (READ COMMITTED). `work` may run again after a deadlock, so it must have no effect outside `tx`. */
  async run<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.dataSource.transaction(work);
      } catch (error) {
        if (attempt >= ATTEMPTS || !RETRIABLE.has(driverError(error)?.code ?? '')) throw error;
      }
    }
  }
}
