import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../../../delivery/periodic/purge-job.js';
import { PasskeyChallengesRepository } from './passkey-challenges.repository.js';

/** Removes challenges without an answer. */
@Injectable()
export class PasskeyChallengesPurge extends PurgeJob {
  override readonly name = 'passkeys.purge';

  constructor(private readonly challenges: PasskeyChallengesRepository) {
    super();
  }

  protected override purges() {
    return [() => this.challenges.purge()];
  }
}
