import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import { isUuid } from '../../common/validation/fields.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { searchText } from '../../common/lists/search-text.js';
import { TenantNames } from '../frame/requests/tenant-names.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import type { HelpValues } from './help-values.js';

const MAX_APPS = 50;

export interface ReaderApp {
  readonly id: string;
  /** Name of the app, with that of its tenant. */
  readonly name: string;
  readonly isChosen: boolean;
}

export interface HelpReader {
  readonly values: HelpValues;
  /** The reader's apps to choose from; the snippets contain the values of the chosen one. */
  readonly apps: readonly ReaderApp[];
  /** True if there are more apps: the page then has a search field. */
  readonly isSearchable: boolean;
  readonly search: string;
}

/** Values for the snippets, always of an app that the reader administers or manages. */
@Injectable()
export class HelpReaders {
  constructor(
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
    private readonly names: TenantNames,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param wanted from the query; ignored if it is not one of the reader's apps */
  async of(consoleRequest: ConsoleRequest, wanted: unknown, typed: unknown): Promise<HelpReader> {
    const search = searchText(typed);
    const { apps, total } = await this.apps.list(consoleRequest.ctx, { page: 1, limit: MAX_APPS, search });
    const id = isUuid(wanted) ? wanted.toLowerCase() : null;
    const isMissing = id !== null && !apps.some((app) => app.id === id);
    const requested = isMissing
      ? (await this.apps.list(consoleRequest.ctx, { page: 1, limit: 1, search: id })).apps
      : [];
    const own = [...requested, ...apps].filter((app) => !app.isConsoleApp);
    const ofTenant = own.filter(({ tenantId }) => tenantId === consoleRequest.tenantId);
    const hit = search !== '' && total === 1 ? apps.find((app) => !app.isConsoleApp) : undefined;
    const chosen = hit ?? own.find((app) => app.id === id) ?? ofTenant[0] ?? own[0] ?? null;
    const client = chosen && (await this.directory.find(chosen.id));
    const [console, tenants] = await Promise.all([
      this.apps.getPlatformConsole(),
      this.names.of(own.map(({ tenantId }) => tenantId)),
    ]);
    return {
      values: {
        base_url: this.settings.baseUrl,
        console_app_id: console.id,
        app_id: chosen?.id ?? null,
        tenant_id: client?.tenant.id ?? consoleRequest.tenantId,
      },
      apps: own.map(({ id: each, name, tenantId }) => ({
        id: each,
        name: `${name} (${tenants.get(tenantId) ?? ''})`,
        isChosen: each === chosen?.id,
      })),
      isSearchable: total > apps.length || search !== '',
      search,
    };
  }
}
