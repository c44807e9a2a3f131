import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { MAX_COUNTED_DEVICES, PUSH_STATES, type PushState } from '../../push/overview/push-overview.query.js';
import { type PushOfApp, PushOverview } from '../../push/overview/push-overview.service.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { pagerOf, readChosenPage } from '../frame/lists/pager.js';
import { searchText } from '../../common/lists/search-text.js';
import { column } from '../frame/lists/table-column.js';
import { optionsOf } from '../frame/lists/form-values.js';

const COLUMNS = [
  column('App'),
  column('Push'),
  column('Today', { className: 'number' }),
  column('7 days', { className: 'number' }),
  column('Devices', { className: 'number' }),
  column('Sent with'),
  column('Webhook'),
];
const STATES: Readonly<Record<PushState, string>> = {
  on: 'On',
  off: 'Off',
  failing: 'Webhook failing',
  no_firebase: 'On, web push only',
};

/** Notifications of all apps that the operator governs. */
@Controller('console/push')
export class PushOverviewController {
  constructor(
    private readonly push: PushOverview,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const search = searchText(query['q']);
    const state = PUSH_STATES.find((each) => each === query['state']);
    const page = readChosenPage(query);
    const { apps, total } = await this.push.list(consoleRequest.listCtx, { search, state, ...page });
    await this.pages.show(consoleRequest, response, {
      view: 'push/overview',
      title: 'Push',
      area: 'push',
      model: {
        search,
        states: optionsOf({ '': 'All states', ...STATES }, state),
        isFiltered: search !== '' || state !== undefined,
        columns: COLUMNS,
        apps: apps.map((app) => this.row(app)),
        pager: pagerOf(request, { ...page, total, count: apps.length }),
      },
    });
  }

  private row(app: PushOfApp) {
    const { id, name, tenantName, isActive, isOn, today, week, devices } = app;
    return {
      name,
      tenantName,
      href: `/console/apps/${id}/push`,
      isAppOff: !isActive,
      state: isOn ? { text: 'On', tone: 'plain' } : { text: 'Off', tone: 'neutral' },
      today,
      week,
      devices:
        devices > MAX_COUNTED_DEVICES ? `${MAX_COUNTED_DEVICES.toLocaleString('en')}+` : devices.toLocaleString('en'),
      providers: providersOf(app, this.push.sharedFirebase),
      webhook: webhookOf(app),
      webhookUrl: `/console/apps/${id}/webhooks`,
    };
  }
}

/** The push services of an app: web push, then Firebase for Android and iOS. */
function providersOf({ hasVapid, hasOwnFirebase }: PushOfApp, shared: boolean): string {
  const firebase = hasOwnFirebase ? 'Firebase' : shared ? 'Firebase of the installation' : 'no Firebase';
  return hasVapid ? `Web push, ${firebase}` : hasOwnFirebase ? firebase : 'Not configured';
}

function webhookOf({ hasWebhook, webhookIsDisabled, failing, seen }: PushOfApp) {
  if (!hasWebhook) return { text: 'None', tone: 'plain' };
  if (webhookIsDisabled) return { text: 'Turned off (410)', tone: 'bad' };
  if (failing > 0) return { text: `${failing} of ${seen} fail`, tone: 'bad' };
  return seen > 0 ? { text: 'OK', tone: 'plain' } : { text: 'Not used yet', tone: 'neutral' };
}
