import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../apps/directory/app-directory.js';
import { AppsService } from '../apps/directory/apps.service.js';
import { CallerAuthorities } from '../auth/access/caller-authorities.service.js';
import { EntryService } from '../auth/entry/entry.service.js';
import type { UserActor } from '../common/actor.js';
import { UsersService } from '../users/users.service.js';

/** Refusals for which another sign-in may help. */
const SIGN_IN_AGAIN = ['method_not_allowed', 'second_factor_due', 'second_factor_required'] as const;

/** The right to use the console, read from the database at the sign-in and at each request. */
@Injectable()
export class ConsoleEntrance {
  constructor(
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
    private readonly authorities: CallerAuthorities,
    private readonly users: UsersService,
    private readonly entry: EntryService,
  ) {}

  /**
   * The user as the admin API sees them with a token for the platform Console, or why they cannot enter: `signed_out`
   * if they have to sign in again, `no_access` if that would not help.
   * @param amr authentication methods of the sign-in (RFC 8176), which may be older than a second factor or the
   * requirement of one
   */
  async identify(userId: string, amr: readonly string[]): Promise<UserActor | 'signed_out' | 'no_access'> {
    const client = await this.getConsole();
    const [current, user] = await Promise.all([
      this.authorities.find(userId, client.app.id, amr),
      this.users.find(userId),
    ]);
    if (!current || !user) return 'signed_out';
    const { verdict } = await this.entry.judge(user, client, amr);
    if (SIGN_IN_AGAIN.some((each) => each === verdict)) return 'signed_out';
    if (verdict !== 'enter') return 'no_access';
    const { authority } = current;
    const { email, credentialsVersion } = current.user;
    const holdsNothing = authority.tenants.size + authority.appsAdministered.size + authority.appsManaged.size === 0;
    if (!authority.platform && holdsNothing) return 'no_access';
    const known = { authority, credentialsVersion, amr };
    return { type: 'user', userId, email, audience: client.app.id, viaApp: null, ...known };
  }

  async getConsole(): Promise<RegisteredClient> {
    const { id } = await this.apps.getPlatformConsole();
    const client = await this.directory.findOpen(id);
    if (!client) throw new Error('The platform Console app is switched off');
    return client;
  }
}
