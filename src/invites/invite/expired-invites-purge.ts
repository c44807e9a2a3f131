import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../delivery/periodic/purge-job.js';
import { InvitesRepository } from './invites.repository.js';

/** Removes invites long after their end, and with them their addresses. */
@Injectable()
export class ExpiredInvitesPurge extends PurgeJob {
  override readonly name = 'invites.purge';

  constructor(private readonly invites: InvitesRepository) {
    super();
  }

  protected override purges() {
    return [() => this.invites.purge()];
  }
}
