import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { RelyingParty } from '../../../auth/credentials/passkeys/ceremonies/relying-party.js';
import { allowsMethod } from '../../../auth/entry/methods/allows-method.rules.js';
import { entrantOf, type SignInSettings } from '../../../auth/entry/entrant-of-row.js';
import { EntrantsRepository, membershipAppIds } from '../../../auth/entry/entrants.repository.js';
import { readEntryFacts } from '../../../auth/entry/entry-facts.js';
import { entryRules } from '../../../auth/entry/entry.rules.js';
import { limitToVisible, visibilityOf } from '../../../auth/entry/visibility.js';
import type { Actor } from '../../../common/actor.js';
import { offeredProviders, PROVIDERS } from '../../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import type { User } from '../../../users/user.entity.js';
import { UserNotFound } from '../../../users/users.errors.js';
import type { AccessFacts, ExternalMethod } from './access-check.rules.js';

type KnownFacts = Pick<AccessFacts, 'entry' | 'external' | 'hasPasskey' | 'knowsAllWays'>;

/**
 * The verdicts of the sign-in rules for a user, and the user's sign-in methods, as far as the caller may know them: the
 * same limits as in a preview (docs/decisions/0074).
 */
@Injectable()
export class KnownEntry {
  constructor(
    private readonly entrants: EntrantsRepository,
    private readonly directory: AppDirectory,
    private readonly party: RelyingParty,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws UserNotFound */
  async read(actor: Actor, { id }: User, client: RegisteredClient): Promise<KnownFacts> {
    const [row] = await this.entrants.list(client.app.id, [id], { after: null, limit: 1 });
    if (!row) throw new UserNotFound();
    const world = await this.worldOf(membershipAppIds(row));
    const visibility = visibilityOf(actor);
    const known = limitToVisible(visibility, row, client, world);
    // Evaluates the entry rules as if the user had completed every step of the sign-in.
    const { facts } = await readEntryFacts(entrantOf(known, world), client, [], world.requireAdmin2fa);
    return {
      entry: entryRules({ ...facts, secondFactorDue: false }),
      external: this.externalWays(client, known.providers),
      hasPasskey: known.passkeys.some(({ rpId }) => rpId === world.passkeyHost),
      knowsAllWays: visibility.isUnlimited,
    };
  }

  private externalWays({ app }: RegisteredClient, linked: readonly string[]): ExternalMethod[] {
    return PROVIDERS.filter((name) => allowsMethod(app, name)).map((name) => ({
      name,
      isConfigured: this.settings.providers[name] !== null,
      isLinked: linked.includes(name),
      // Microsoft addresses are written by the administrators of the directory (docs/conventions.md, section 4).
      vouchesForEmail: name !== 'microsoft',
    }));
  }

  private async worldOf(appIds: readonly string[]): Promise<SignInSettings> {
    const clients = new Map<string, RegisteredClient | null>();
    for (const appId of appIds) clients.set(appId, await this.directory.findOfAnyOrigin(appId));
    const { providers, requireAdmin2fa } = this.settings;
    return {
      clientOf: (appId) => clients.get(appId) ?? null,
      platformConsole: await this.directory.findPlatformConsole(),
      providers: offeredProviders(providers, PROVIDERS),
      passkeyHost: this.party.isUsable ? this.party.id : null,
      requireAdmin2fa,
    };
  }
}
