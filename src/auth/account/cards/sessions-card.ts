import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { Clock } from '../../../common/clock.js';
import { message, type Text } from '../../../common/i18n/message.js';
import { timeInWords } from '../../../common/pages/time-in-words.js';
import type { ActiveGrant } from '../../../tokens/grants/revocation/active-grants.repository.js';
import { exchangingApps } from '../../../tokens/grants/revocation/exchanging-apps.js';
import type { AccountHolder } from '../../access/account-holder.service.js';
import { deviceLocationOf } from '../../session/known-browsers/known-browser.rules.js';
import type { SsoSession } from '../../session/sso-session.entity.js';
import { type CardContent, folded } from './account-card.js';
import { OwnSessionsService } from '../own/own-sessions.service.js';

/** The card of sessions: browsers, and apps that were not entered from one of them. */
@Injectable()
export class SessionsCard {
  constructor(
    private readonly sessions: OwnSessionsService,
    private readonly directory: AppDirectory,
    private readonly clock: Clock,
  ) {}

  async read({ user, session }: AccountHolder): Promise<CardContent> {
    const now = this.clock.now();
    const { browsers, apps } = await this.sessions.list(user.id);
    const named = await Promise.all(
      apps.map(async (each) => ({
        ...each,
        name: (await this.directory.findOfAnyOrigin(each.appId))?.app.name ?? null,
        actors: await exchangingApps(this.directory, each),
      })),
    );
    const isFrom = (browser: SsoSession) => (each: ActiveGrant) =>
      each.sid === null
        ? each.authTime.getTime() === browser.authTime.getTime()
        : each.sid === (browser.sid ?? browser.id);
    const rows = browsers.map((browser) => ({
      id: browser.id,
      kind: 'sessions',
      isThis: browser.id === session?.id,
      what: deviceLocationOf({ ip: null, userAgent: browser.userAgent }).userAgent,
      detail: browser.userAgent ?? '',
      note: appsInWords(named.filter(isFrom(browser)).flatMap((each) => each.name ?? [])),
      acting: actorsInWords(named.filter(isFrom(browser)).flatMap((each) => each.actors)),
      ip: browser.ipAddress ?? '',
      since: timeInWords(browser.createdAt, now),
      lastUsed: timeInWords(browser.lastSeenAt, now),
    }));
    // Sign-ins from a browser that is still signed in are shown, and ended, together with the browser.
    const alone = named.filter((each) => !browsers.some((browser) => isFrom(browser)(each)));
    const appRows = alone.map((each) => ({
      id: each.id,
      kind: 'apps',
      isThis: false,
      what: each.name ?? message('account.an_app'),
      detail: each.deviceId ?? '',
      note: each.deviceId
        ? message('account.sessions.on_device', { device: each.deviceId })
        : message('account.sessions.without_browser'),
      acting: actorsInWords(each.actors),
      ip: '',
      since: timeInWords(each.createdAt, now),
      lastUsed: null,
    }));
    const all = [...rows.filter((row) => row.isThis), ...rows.filter((row) => !row.isThis), ...appRows];
    return { ...folded(all), hasOthers: all.some((row) => !row.isThis) };
  }
}

function actorsInWords(names: readonly string[]): Text {
  const distinct = [...new Set(names)];
  return distinct.length > 0 ? message('account.sessions.acting', { apps: distinct.join(', ') }) : '';
}

function appsInWords(names: readonly string[]): Text {
  const distinct = [...new Set(names)];
  return distinct.length > 0 ? message('account.sessions.apps', { apps: distinct.join(', ') }) : '';
}
