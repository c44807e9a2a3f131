import { Injectable } from '@nestjs/common';
import type { Passkey } from '../../../auth/credentials/passkeys/stored/passkey.entity.js';
import { Passkeys } from '../../../auth/credentials/passkeys/management/passkeys.service.js';
import { authorityOf } from '../../../common/actor.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import type { RequestContext } from '../../../common/request-context.js';
import { AccountChanges } from '../../../enrollment/memberships/account-changes.js';
import { ActiveGrants } from '../../../tokens/grants/revocation/active-grants.service.js';
import { UsersService } from '../../../users/users.service.js';
import { OwnPasskeyElsewhere } from './credentials.errors.js';

/** The passkeys of a user, for platform admins: for example, to remove the passkey of a lost device. */
@Injectable()
export class UserPasskeysService {
  constructor(
    private readonly users: UsersService,
    private readonly passkeys: Passkeys,
    private readonly signIns: ActiveGrants,
    private readonly changes: AccountChanges,
  ) {}

  /** Oldest first. @throws InsufficientPermissions, UserNotFound */
  async list(ctx: RequestContext, userId: string): Promise<Passkey[]> {
    if (!authorityOf(ctx.actor).platform) throw new InsufficientPermissions();
    const { id } = await this.users.get(userId);
    return this.passkeys.listOf(id);
  }

  /**
   * Ends all sessions and tokens of the user, because an attacker may have them, and notifies the user.
   * @throws InsufficientPermissions, UserNotFound, PasskeyNotFound, OwnPasskeyElsewhere
   */
  async remove(ctx: RequestContext, userId: string, id: string): Promise<void> {
    const { actor } = ctx;
    if (!authorityOf(actor).platform) throw new InsufficientPermissions();
    if (actor.type === 'user' && actor.userId === userId) throw new OwnPasskeyElsewhere();
    await this.changes.run(userId, async (tx) => {
      await this.users.get(userId, tx);
      await this.passkeys.remove(tx, ctx, userId, id, 'admin');
      await this.signIns.revokeAllSessionsAndTokens(tx, ctx, userId, 'second_factor_reset');
    });
  }
}
