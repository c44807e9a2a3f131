import { Injectable } from '@nestjs/common';
import { hasMinimumRole } from '../../../auth/access/access.rules.js';
import { VisibleUsers } from '../../../enrollment/users/visible-users.service.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';
import { ConsoleSearchSource, type SearchHit } from '../../frame/lists/search-source.js';

/** Searches by name, address or the beginning of an id. */
@Injectable()
export class UserSearch extends ConsoleSearchSource {
  readonly title = 'Users';
  readonly icon = 'user-round';
  readonly rank = 3;

  constructor(private readonly visibleUsers: VisibleUsers) {
    super();
  }

  override async search({ ctx, actor }: ConsoleRequest, text: string): Promise<SearchHit[]> {
    if (!hasMinimumRole(actor.authority, 'app_admin')) return [];
    const users = await this.visibleUsers.search(ctx, text);
    return users.map(({ id, displayName, email }) => ({
      label: displayName,
      note: email,
      href: `/console/users/${id}`,
    }));
  }
}
