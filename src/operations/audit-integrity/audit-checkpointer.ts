import { Injectable, Logger } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { AuditCheckpointsRepository } from './audit-checkpoints.repository.js';
import { CheckpointSigner } from './checkpoint-signer.js';

/** Per chain, one checkpoint an hour. */
const AGE_SECONDS = 3_600;
const BATCH = 100;

/**
 * Signs the head of every chain that has grown. An attacker who can write to the database can rewrite a whole chain with its
 * hashes, but not its checkpoints. Each checkpoint is logged as well, so that a copy of the log proves it.
 *
 * Only a signature can show an auditor that the operator of the database has changed nothing.
 */
@Injectable()
export class AuditCheckpointer extends PeriodicJob {
  readonly name = 'audit.checkpoint';
  /** Looks more often than it signs: a new tenant need not wait for an hour. */
  readonly everySeconds = 300;
  private readonly logger = new Logger(AuditCheckpointer.name);

  constructor(
    private readonly checkpoints: AuditCheckpointsRepository,
    private readonly signer: CheckpointSigner,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.sign(AGE_SECONDS);
  }

  /** @param ageSeconds signs where the last checkpoint is at least so old @returns how many were signed */
  async sign(ageSeconds: number): Promise<number> {
    let signed = 0;
    for (;;) {
      const due = await this.checkpoints.listDue(ageSeconds, BATCH);
      const made = await Promise.all(due.map((head) => this.signer.sign(head)));
      await this.checkpoints.insert(made);
      for (const { chain, seq, hash } of made)
        this.logger.log(`Audit checkpoint: chain ${chain}, entry ${seq}, hash ${hash.toString('hex')}`);
      signed += made.length;
      // With an age of nothing the chains that grow meanwhile would keep it busy for ever.
      if (due.length < BATCH || ageSeconds === 0) return signed;
    }
  }
}
