import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../apps/directory/app-directory.js';
import { offeredProviders, PROVIDERS } from '../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { RelyingParty } from '../credentials/passkeys/ceremonies/relying-party.js';
import type { SignInSettings } from './entrant-of-row.js';
import { type EntrantRow, membershipAppIds } from './entrants.repository.js';

/** Reads the settings that the sign-ins of some users depend on, to predict these sign-ins. */
@Injectable()
export class SignInWorlds {
  constructor(
    private readonly directory: AppDirectory,
    private readonly party: RelyingParty,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The settings now, with the apps of these users, which may belong to several tenants. */
  async of(rows: readonly EntrantRow[]): Promise<SignInSettings> {
    const clients = new Map<string, RegisteredClient | null>();
    for (const appId of new Set(rows.flatMap(membershipAppIds)))
      clients.set(appId, await this.directory.findOfAnyOrigin(appId));
    return {
      clientOf: (appId) => clients.get(appId) ?? null,
      platformConsole: await this.directory.findPlatformConsole(),
      providers: offeredProviders(this.settings.providers, PROVIDERS),
      passkeyHost: this.party.isUsable ? this.party.id : null,
      requireAdmin2fa: this.settings.requireAdmin2fa,
    };
  }
}

/** The same settings with these apps, which are new or replace others. */
export function withClients(world: SignInSettings, clients: readonly RegisteredClient[]): SignInSettings {
  const given = new Map(clients.map((client) => [client.app.id, client]));
  const console = world.platformConsole;
  return {
    ...world,
    clientOf: (appId) => given.get(appId) ?? world.clientOf(appId),
    platformConsole: (console && given.get(console.app.id)) ?? console,
  };
}
