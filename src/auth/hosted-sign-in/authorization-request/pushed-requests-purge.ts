import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../../delivery/periodic/purge-job.js';
import { PushedRequestsRepository } from './pushed-requests.repository.js';

/** Removes expired requests that no browser has used. */
@Injectable()
export class PushedRequestsPurge extends PurgeJob {
  override readonly name = 'pushed-requests.purge';
  override readonly everySeconds = 600;

  constructor(private readonly requests: PushedRequestsRepository) {
    super();
  }

  protected override purges() {
    return [() => this.requests.purge()];
  }
}
