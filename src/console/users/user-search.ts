import { Injectable } from '@nestjs/common';
import { hasStanding } from '../../auth/access/access.rules.js';
import { PeopleService } from '../../enrollment/people.service.js';
import type { ConsoleVisit } from '../frame/console-visit.js';
import { ConsoleSearchSource, type SearchHit } from '../frame/search-source.js';

/** By the beginning of the address, as the admin API searches. */
@Injectable()
export class UserSearch extends ConsoleSearchSource {
  readonly title = 'Users';
  readonly rank = 3;

  constructor(private readonly people: PeopleService) {
    super();
  }

  override async search({ ctx, actor }: ConsoleVisit, text: string): Promise<SearchHit[]> {
    if (!hasStanding(actor.authority, 'app_admin')) return [];
    const users = await this.people.searchByPrefix(ctx, text);
    return users.map(({ id, displayName, email }) => ({
      label: displayName,
      note: email,
      href: `/console/users/${id}`,
    }));
  }
}
