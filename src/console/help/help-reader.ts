import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/app-directory.js';
import { AppsService } from '../../apps/apps.service.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { ConsoleVisit } from '../frame/console-visit.js';
import type { HelpValues } from './help-values.js';

const MOST_APPS = 100;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface ReaderApp {
  readonly id: string;
  readonly name: string;
  readonly isChosen: boolean;
}

export interface HelpReader {
  readonly values: HelpValues;
  /** Own apps to choose from; the snippets are filled with the chosen one's. */
  readonly apps: readonly ReaderApp[];
}

/** Whose ids stand in the snippets: those of an app of the reader's, never of somebody else's. */
@Injectable()
export class HelpReaders {
  constructor(
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param wanted from the query; whatever is not an app of theirs is passed over */
  async of(visit: ConsoleVisit, wanted: unknown): Promise<HelpReader> {
    const { apps } = await this.apps.list(visit.ctx, { page: 1, limit: MOST_APPS });
    const own = apps.filter((app) => !app.isConsoleApp);
    const id = typeof wanted === 'string' && UUID.test(wanted) ? wanted.toLowerCase() : null;
    const ofTenant = own.filter(({ tenantId }) => tenantId === visit.tenantId);
    const chosen = own.find((app) => app.id === id) ?? ofTenant[0] ?? own[0] ?? null;
    const known = chosen && (await this.directory.find(chosen.id));
    const console = await this.apps.getPlatformConsole();
    return {
      values: {
        base_url: this.settings.baseUrl,
        console_app_id: console.id,
        app_id: chosen?.id ?? null,
        tenant_id: known?.tenant.id ?? visit.tenantId,
      },
      apps: own.map((app) => ({ id: app.id, name: app.name, isChosen: app.id === chosen?.id })),
    };
  }
}
