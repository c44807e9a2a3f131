import { Inject, Injectable } from '@nestjs/common';
import { type RegisteredClient } from '../../apps/app-directory.js';
import { allowsMethod } from '../../auth/entry/allows-method.rules.js';
import { Passkeys } from '../../auth/credentials/passkeys/passkeys.service.js';
import { LinkedAccountsService } from '../../auth/providers/linked/linked-accounts.service.js';
import { PROVIDERS } from '../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { User } from '../../users/user.entity.js';
import { type ExternalWay } from './access-check.rules.js';

/** The external providers that an app offers, and whether a user can use them; and whether they have a passkey. */
@Injectable()
export class ExternalWays {
  constructor(
    private readonly linked: LinkedAccountsService,
    private readonly passkeys: Passkeys,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async hasPasskey({ id }: User): Promise<boolean> {
    return (await this.passkeys.listOf(id)).length > 0;
  }

  async list(user: User, { app }: RegisteredClient): Promise<ExternalWay[]> {
    const linked = new Set<string>((await this.linked.listOf(user.id)).map(({ provider }) => provider));
    return PROVIDERS.filter((name) => allowsMethod(app, name)).map((name) => ({
      name,
      isConfigured: this.settings.providers[name] !== null,
      isLinked: linked.has(name),
      // Its addresses are written by the directories' administrators (docs/conventions.md, section 4).
      vouchesForEmail: name !== 'microsoft',
    }));
  }
}
