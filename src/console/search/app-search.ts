import { Injectable } from '@nestjs/common';
import { AppsService } from '../../apps/directory/apps.service.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { ConsoleSearchSource, SEARCH_HITS, type SearchHit } from '../frame/lists/search-source.js';

@Injectable()
export class AppSearch extends ConsoleSearchSource {
  readonly title = 'Apps';
  readonly icon = 'layout-grid';
  readonly rank = 1;

  constructor(private readonly apps: AppsService) {
    super();
  }

  async search({ ctx }: ConsoleRequest, text: string): Promise<SearchHit[]> {
    const { apps } = await this.apps.list(ctx, { search: text, page: 1, limit: SEARCH_HITS });
    return apps.map(({ id, name, bundleId }) => ({ label: name, note: bundleId, href: `/console/apps/${id}` }));
  }
}
