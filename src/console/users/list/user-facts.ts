import { Injectable } from '@nestjs/common';
import { Passkeys } from '../../../auth/credentials/passkeys/management/passkeys.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { VisibleUsers } from '../../../enrollment/users/visible-users.service.js';
import type { User } from '../../../users/user.entity.js';

/** Data of each user in the list, in addition to the account. */
export interface UserFacts {
  of(user: Pick<User, 'id' | 'totpEnabledAt'>): {
    /** Names of a few apps, and the number of the others. */
    readonly apps: string;
    readonly secondFactor: string;
  };
}

@Injectable()
export class UserFactsReader {
  constructor(
    private readonly visibleUsers: VisibleUsers,
    private readonly passkeys: Passkeys,
  ) {}

  /** Reads the data of all users of a page with two statements. Contains only apps that the caller may see. */
  async read(ctx: RequestContext, users: readonly Pick<User, 'id'>[]): Promise<UserFacts> {
    const ids = users.map(({ id }) => id);
    const [appsOfUsers, owners] = await Promise.all([
      this.visibleUsers.listApps(ctx, ids),
      this.passkeys.ownersAmong(ids),
    ]);
    return {
      of: ({ id, totpEnabledAt }) => ({
        apps: listed(appsOfUsers.get(id) ?? { names: [], total: 0 }),
        secondFactor: [totpEnabledAt && 'Authenticator app', owners.has(id) && 'Passkey'].filter(Boolean).join(', '),
      }),
    };
  }
}

function listed({ names, total }: { readonly names: readonly string[]; readonly total: number }): string {
  const more = total - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
}
