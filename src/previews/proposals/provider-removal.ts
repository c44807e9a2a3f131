import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory, withoutPictures } from '../../apps/directory/app-directory.js';
import { UnknownProvider } from '../../auth/providers/pending/provider.errors.js';
import { canAdministerPlatform } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { isProviderName } from '../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { ClientChange, Proposal } from './proposal.js';
import { EntrantsRepository } from '../../auth/entry/entrants.repository.js';

/** The removal of an identity provider, for every app that offers it. */
@Injectable()
export class ProviderRemoval {
  constructor(
    private readonly entrants: EntrantsRepository,
    private readonly directory: AppDirectory,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws InsufficientPermissions, UnknownProvider, also for a provider that is not configured */
  async propose({ actor }: RequestContext, name: string): Promise<Proposal> {
    if (!canAdministerPlatform(actor)) throw new InsufficientPermissions();
    if (!isProviderName(name) || !this.settings.providers[name]) throw new UnknownProvider();
    const clients: ClientChange[] = [];
    for (const id of await this.entrants.listAppsAllowing(name)) {
      const found = await this.directory.findOfAnyOrigin(id);
      const client = found && withoutPictures(found);
      if (client) clients.push({ before: client, after: client });
    }
    return { tenantId: null, clients, withoutProvider: name };
  }
}
