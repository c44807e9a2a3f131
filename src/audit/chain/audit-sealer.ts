import { Injectable } from '@nestjs/common';
import { Transactions } from '../../database/transactions.js';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import type { AuditEntry } from '../entries/audit-entry.entity.js';
import { AuditChainsRepository, type ChainHead } from './audit-chains.repository.js';
import { chainOf, hashOf } from './seal.rules.js';

/** Entries per transaction. */
const BATCH = 500;
/** Batches per run, so that a process which shuts down does not have to wait for a long backlog. */
const MAX_BATCHES = 40;

/**
 * Gives committed entries their number and hashes, chain by chain. Writers never wait for it, because it locks only the
 * heads of chains, which only sealers lock. docs/decisions/0017 says why the order is correct.
 */
@Injectable()
export class AuditSealer extends PeriodicJob {
  readonly name = 'audit.seal';
  readonly everySeconds = 2;

  constructor(
    private readonly chains: AuditChainsRepository,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  async run(): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES; batch++) if ((await this.sealBatch()) === 0) return;
  }

  /** @returns how many entries were sealed */
  private async sealBatch(): Promise<number> {
    const waiting = await this.chains.listWaiting(BATCH);
    if (waiting.length === 0) return 0;
    return this.transactions.run(async (tx) => {
      const heads = new Map((await this.chains.lockHeads(tx, waiting)).map((head) => [head.id, head]));
      const entries = await this.chains.listUnsealed(tx, [...heads.keys()], BATCH);
      const seals = entries.map((entry) => this.link(entry, heads));
      if ((await this.chains.seal(tx, seals)) !== seals.length)
        throw new Error('An entry was sealed by another process');
      const touched = new Set(entries.map((entry) => chainOf(entry.tenantId)));
      await this.chains.advance(
        tx,
        [...heads.values()].filter(({ id }) => touched.has(id)),
      );
      return seals.length;
    });
  }

  /** Links the entry to its chain and makes it the new head. */
  private link(entry: AuditEntry, heads: Map<string, ChainHead>) {
    const head = heads.get(chainOf(entry.tenantId))!;
    const seq = head.seq + 1;
    const hash = hashOf(entry, { seq, prevHash: head.hash });
    heads.set(head.id, { id: head.id, seq, hash });
    return { id: entry.id, seq, prevHash: head.hash, hash };
  }
}
