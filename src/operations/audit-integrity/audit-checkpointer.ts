import { Injectable, Logger } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { AuditCheckpointsRepository } from './audit-checkpoints.repository.js';
import { CheckpointSigner } from './checkpoint-signer.js';

/** One checkpoint per chain and hour. */
const AGE_SECONDS = 3_600;
const BATCH = 100;

/**
 * Signs the head of every chain that has grown. An attacker who can write to the database can rewrite a whole chain
 * with its hashes, but not its checkpoints. Each checkpoint is also logged, so that a copy of the log proves it.
 *
 * Only a signature can show an auditor that the operator of the database has changed nothing.
 */
@Injectable()
export class AuditCheckpointer extends PeriodicJob {
  readonly name = 'audit.checkpoint';
  /** Checks more often than it signs, so that a new tenant need not wait for an hour. */
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

  /**
   * @param ageSeconds signs a chain if its last checkpoint is at least this old, or if it has none
   * @returns number of checkpoints
   */
  async sign(ageSeconds: number): Promise<number> {
    let signed = 0;
    for (;;) {
      const due = await this.checkpoints.listDue(ageSeconds, BATCH);
      const made = await Promise.all(due.map((head) => this.signer.sign(head)));
      await this.checkpoints.insert(made);
      for (const { chain, seq, hash } of made)
        this.logger.log(`Audit checkpoint: chain ${chain}, entry ${seq}, hash ${hash.toString('hex')}`);
      signed += made.length;
      // With an age of 0, chains that keep growing would never end the loop.
      if (due.length < BATCH || ageSeconds === 0) return signed;
    }
  }
}
