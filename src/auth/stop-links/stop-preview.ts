import { Injectable } from '@nestjs/common';
import { UsersService } from '../../users/users.service.js';
import { suspectSince } from '../credentials/notices/stop-window.rules.js';
import { type CredentialLists, ListedCredentials } from '../listed-credentials/listed-credentials.js';

/** What {@link SecuredAccount} would remove, and what would stay. */
@Injectable()
export class StopPreview {
  constructor(
    private readonly users: UsersService,
    private readonly credentials: ListedCredentials,
  ) {}

  /** @param event when it happened what the owner says was not them @throws UserNotFound */
  async read(userId: string, event: Date): Promise<CredentialLists> {
    return this.credentials.list(await this.users.get(userId), suspectSince(event));
  }
}
