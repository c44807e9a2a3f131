import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { InvitesRepository } from './invites.repository.js';

/** Removes invites long after their end, and with them their addresses. */
@Injectable()
export class ExpiredInvitesPurge extends PeriodicJob {
  readonly name = 'invites.purge';
  readonly everySeconds = 3600;

  constructor(private readonly invites: InvitesRepository) {
    super();
  }

  run(): Promise<void> {
    return this.invites.purge();
  }
}
