import { Injectable } from '@nestjs/common';
import { UsersService } from '../../users/users.service.js';
import { suspectSince } from '../credentials/notices/stop-window.rules.js';
import { type CredentialLists, ListedCredentials } from '../listed-credentials/listed-credentials.js';

/** What {@link AccountLockdown} would remove and keep. */
@Injectable()
export class StopPreview {
  constructor(
    private readonly users: UsersService,
    private readonly credentials: ListedCredentials,
  ) {}

  /**
   * @param event time of the event that the owner reports as not theirs
   * @throws UserNotFound
   */
  async read(userId: string, event: Date): Promise<CredentialLists> {
    return this.credentials.list(await this.users.get(userId), suspectSince(event));
  }
}
