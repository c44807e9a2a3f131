import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../apps/directory/app-directory.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { PasskeyFactors } from '../credentials/passkeys/offers/passkey-factors.service.js';
import { allowsMethod } from './methods/allows-method.rules.js';

/**
 * Whether an app can ask a user for a credential of their own, a password or a passkey. If not, the statement of an
 * identity provider is all that the app can get.
 */
@Injectable()
export class OwnCredentials {
  constructor(
    private readonly users: UsersService,
    private readonly directory: AppDirectory,
    private readonly passkeys: PasskeyFactors,
  ) {}

  /**
   * @param client with the passkey models of its own tenant. The models of all tenants that the user administers
   * (`clientAsFor`) must not decide here: administrators could then avoid this check by taking a role in a tenant with
   * other models (docs/decisions/0096)
   */
  async areAccepted(user: Pick<User, 'id' | 'passwordHash'>, { app, tenant }: RegisteredClient): Promise<boolean> {
    if (user.passwordHash !== null && allowsMethod(app, 'password')) return true;
    return allowsMethod(app, 'passkey') && this.passkeys.has(user.id, tenant);
  }

  /**
   * As {@link areAccepted}, for the audience of a token. Also true if the user no longer exists, or the app no longer
   * exists or is switched off.
   */
  async areAcceptedAt(appId: string, userId: string): Promise<boolean> {
    const [user, client] = await Promise.all([this.users.find(userId), this.directory.findOpen(appId)]);
    if (!user || !client) return true;
    return this.areAccepted(user, client);
  }
}
