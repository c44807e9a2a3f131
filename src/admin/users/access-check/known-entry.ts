import { Inject, Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { allowsMethod } from '../../../auth/entry/methods/allows-method.rules.js';
import { entrantOf } from '../../../auth/entry/entrant-of-row.js';
import { EntrantsRepository } from '../../../auth/entry/entrants.repository.js';
import { readEntryFacts } from '../../../auth/entry/entry-facts.js';
import { entryRules } from '../../../auth/entry/entry.rules.js';
import { SignInWorlds } from '../../../auth/entry/sign-in-worlds.js';
import { limitToVisible, visibilityOf } from '../../../auth/entry/visibility.js';
import type { Actor } from '../../../common/actor.js';
import { PROVIDERS } from '../../../config/provider-settings.js';
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
    private readonly worlds: SignInWorlds,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws UserNotFound */
  async read(actor: Actor, { id }: User, client: RegisteredClient): Promise<KnownFacts> {
    const [row] = await this.entrants.list(client.app.id, [id], { after: null, limit: 1 });
    if (!row) throw new UserNotFound();
    const world = await this.worlds.of([row]);
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
}
