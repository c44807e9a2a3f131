import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import { cleanDisplayName } from '../../../users/display-name.rules.js';
import type { User } from '../../../users/user.entity.js';
import { actingAs } from '../../entry/entry.service.js';
import { NewAccounts } from '../../registration/new-accounts.service.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import { LinkedAccountsService } from '../linked/linked-accounts.service.js';

/** Creates accounts without a password, which an identity at a provider opens. */
@Injectable()
export class PasswordlessAccounts {
  constructor(
    private readonly accounts: NewAccounts,
    private readonly linked: LinkedAccountsService,
  ) {}

  /**
   * @param identity must have an e-mail address
   * @throws UserAlreadyExists, LinkedElsewhere
   */
  async create(
    tx: EntityManager,
    ctx: RequestContext,
    client: RegisteredClient,
    identity: ExternalIdentity,
    by: 'sign_up' | 'invite',
    displayName: string | null,
  ): Promise<User> {
    const account = {
      email: identity.email!,
      displayName: cleanDisplayName(displayName) ?? identity.displayName ?? '',
      passwordHash: null,
      emailVerified: identity.emailVerified,
      isPlatformAdmin: false,
      // Without a verified address, the owner of the identity may not be the owner of the mailbox.
      setBy: identity.emailVerified ? ('owner' as const) : ('other' as const),
    };
    const as = (user: User) => actingAs(ctx, user, client);
    const metadata = { by, provider: identity.provider, email_verified: identity.emailVerified };
    const user = await this.accounts.create(tx, account, { as, app: client.app, metadata });
    await this.linked.link(tx, as(user), user, identity, by, client);
    return user;
  }
}
