import { Injectable } from '@nestjs/common';
import { UserTrace } from '../users/user-trace.js';
import { InvitesRepository } from './invites.repository.js';

/** They stay when their maker goes. */
@Injectable()
export class InviteTrace extends UserTrace {
  readonly name = 'invites_created';

  constructor(private readonly invites: InvitesRepository) {
    super();
  }

  count(userId: string): Promise<number> {
    return this.invites.countMadeBy(userId);
  }
}
