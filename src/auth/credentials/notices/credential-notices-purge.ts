import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../../delivery/periodic/purge-job.js';
import { CredentialNoticesRepository } from './credential-notices.repository.js';

/** Removes notices whose links have expired. */
@Injectable()
export class CredentialNoticesPurge extends PurgeJob {
  override readonly name = 'credential-notices.purge';

  constructor(private readonly notices: CredentialNoticesRepository) {
    super();
  }

  protected override purges() {
    return [() => this.notices.purge()];
  }
}
