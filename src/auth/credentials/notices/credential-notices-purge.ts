import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../../delivery/periodic/periodic-job.js';
import { CredentialNoticesRepository } from './credential-notices.repository.js';

/** Removes notices whose links have expired. */
@Injectable()
export class CredentialNoticesPurge extends PeriodicJob {
  override readonly name = 'credential-notices.purge';
  override readonly everySeconds = 3600;

  constructor(private readonly notices: CredentialNoticesRepository) {
    super();
  }

  override run(): Promise<void> {
    return this.notices.purge();
  }
}
