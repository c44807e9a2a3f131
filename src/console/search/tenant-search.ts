import { Injectable } from '@nestjs/common';
import { TenantReader } from '../../admin/tenants/tenant-reader.service.js';
import { authorityOf } from '../../common/actor.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { ConsoleSearchSource, SEARCH_HITS, type SearchHit } from '../frame/lists/search-source.js';

@Injectable()
export class TenantSearch extends ConsoleSearchSource {
  readonly title = 'Tenants';
  readonly icon = 'building-2';
  readonly rank = 2;

  constructor(private readonly tenants: TenantReader) {
    super();
  }

  async search({ ctx }: ConsoleRequest, text: string): Promise<SearchHit[]> {
    const { platform, tenants: own } = authorityOf(ctx.actor);
    if (!platform && own.size === 0) return [];
    const { tenants } = await this.tenants.listWithoutNumbers(ctx, { search: text, page: 1, limit: SEARCH_HITS });
    return tenants.map(({ id, name, slug }) => ({
      label: name,
      note: slug,
      href: platform ? `/console/tenants/${id}` : `/console/select-tenant/${id}`,
    }));
  }
}
