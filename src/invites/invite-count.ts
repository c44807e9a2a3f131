import { Injectable } from '@nestjs/common';
import { ImpactCount } from '../users/impact-count.js';
import { InvitesRepository } from './invites.repository.js';

/** They stay when their maker goes. */
@Injectable()
export class InviteCount extends ImpactCount {
  readonly name = 'invites_created';

  constructor(private readonly invites: InvitesRepository) {
    super();
  }

  count(userId: string): Promise<number> {
    return this.invites.countMadeBy(userId);
  }
}
