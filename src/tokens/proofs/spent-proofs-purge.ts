import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../delivery/periodic/purge-job.js';
import { SpentProofsRepository } from './spent-proofs.repository.js';

/** Removes proofs that are not accepted any more because of their age. */
@Injectable()
export class SpentProofsPurge extends PurgeJob {
  override readonly name = 'spent-proofs.purge';
  override readonly everySeconds = 600;

  constructor(private readonly proofs: SpentProofsRepository) {
    super();
  }

  protected override purges() {
    return [() => this.proofs.purge()];
  }
}
