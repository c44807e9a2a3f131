import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';

/** Number of names in each list of the page: tenants, administered and managed apps. The others are counted. */
const SHOWN = 50;

/** The operator's own permissions. How they sign in belongs to the account page, which all users have. */
@Controller('console/account')
export class ConsoleAccountController {
  constructor(
    private readonly tenants: TenantsService,
    private readonly directory: AppDirectory,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('app_manager')
  async show(@CurrentConsoleRequest() consoleRequest: ConsoleRequest, @Res() response: Response): Promise<void> {
    const { platform, tenants, appsAdministered, appsManaged } = consoleRequest.own;
    const [tenantNames, administered, managed] = await Promise.all([
      Promise.all([...tenants].slice(0, SHOWN).map(async (id) => (await this.tenants.find(id))?.name)),
      this.appNames(appsAdministered),
      this.appNames(appsManaged),
    ]);
    const rights = [
      { what: 'Tenants that you administer', names: present(tenantNames), count: tenants.size },
      { what: 'Apps that you administer', names: administered, count: appsAdministered.size },
      { what: 'Apps that you manage', names: managed, count: appsManaged.size },
    ].map((right) => ({ ...right, more: right.count - right.names.length }));
    await this.pages.show(consoleRequest, response, {
      view: 'account/own',
      title: 'Your account',
      area: null,
      model: {
        email: consoleRequest.actor.email,
        userId: consoleRequest.actor.userId,
        isPlatformAdmin: platform,
        isActing: consoleRequest.impersonation !== null,
        rights: rights.filter(({ count }) => count > 0),
      },
    });
  }

  private async appNames(ids: ReadonlySet<string>): Promise<string[]> {
    const client = await Promise.all([...ids].slice(0, SHOWN).map((id) => this.directory.find(id)));
    return present(client.map((each) => each?.app.name));
  }
}

function present(names: readonly (string | undefined)[]): string[] {
  return names.filter((name) => name !== undefined).sort((a, b) => a.localeCompare(b, 'en'));
}
