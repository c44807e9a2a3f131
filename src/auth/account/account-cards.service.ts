import { Inject, Injectable, Logger } from '@nestjs/common';
import { message, type Text } from '../../common/i18n/message.js';
import { AppDirectory } from '../../apps/app-directory.js';
import { WHOLE_SCOPE } from '../../common/actor.js';
import { Clock } from '../../common/clock.js';
import { PROVIDER_LABELS, PROVIDERS } from '../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { LinkedAccountsService } from '../providers/linked/linked-accounts.service.js';
import type { SsoSession } from '../session/sso-session.entity.js';
import type { ActiveGrant } from '../../tokens/grants/active-grants.repository.js';
import type { AccountHolder } from '../access/account-holder.service.js';
import { SecondFactorService } from '../credentials/second-factor/second-factor.service.js';
import { type Card, cardOf, folded } from './account-card.js';
import { AccountDevices } from './account-devices.service.js';
import { OwnSessionsService } from './own-sessions.service.js';
import { describeUserAgent } from '../session/user-agent.rules.js';

const FEW_CODES = 3;
const STATUS_WORDS = {
  active: message('account.apps.active'),
  pending: message('account.apps.pending'),
  suspended: message('account.apps.suspended'),
} as const;

/** What the cards of the account page show. Each is read by itself: where one fails, the others are there. */
@Injectable()
export class AccountCards {
  private readonly logger = new Logger(AccountCards.name);

  constructor(
    private readonly sessions: OwnSessionsService,
    private readonly secondFactor: SecondFactorService,
    private readonly enrollment: EnrollmentService,
    private readonly tenants: TenantsService,
    private readonly directory: AppDirectory,
    private readonly linked: LinkedAccountsService,
    private readonly devices: AccountDevices,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async read(
    holder: AccountHolder,
  ): Promise<Record<'secondFactor' | 'linked' | 'sessions' | 'devices' | 'apps', Card>> {
    const [secondFactor, linked, sessions, devices, apps] = await Promise.all([
      this.card(holder, () => this.secondFactorOf(holder)),
      this.card(holder, () => this.linkedOf(holder)),
      this.card(holder, () => this.sessionsOf(holder)),
      this.card(holder, () => this.devicesOf(holder)),
      this.card(holder, () => this.appsOf(holder)),
    ]);
    return { secondFactor, linked, sessions, devices, apps };
  }

  private card(holder: AccountHolder, read: () => Promise<Readonly<Record<string, unknown>>>): Promise<Card> {
    return cardOf(read, holder.ctx.requestId, (error) =>
      this.logger.error({ request_id: holder.ctx.requestId, message: error.message, stack: error.stack }),
    );
  }

  private async secondFactorOf({ user }: AccountHolder) {
    if (!user.totpEnabledAt) return { isOn: false };
    const codesLeft = await this.secondFactor.countUnusedCodes(user.id);
    const since = timeInWords(user.totpEnabledAt, this.clock.now());
    return { isOn: true, since, codesLeft, isLow: codesLeft < FEW_CODES };
  }

  private async linkedOf({ user }: AccountHolder) {
    const now = this.clock.now();
    const accounts = await this.linked.listOf(user.id);
    const rows = accounts.map((account) => ({
      id: account.id,
      label: PROVIDER_LABELS[account.provider],
      mark: `mark-${account.provider}`,
      email: account.email ?? '',
      since: timeInWords(account.linkedAt, now),
    }));
    const linkable = PROVIDERS.filter((name) => this.settings.providers[name] !== null)
      .filter((name) => !accounts.some((account) => account.provider === name))
      .map((name) => ({ label: PROVIDER_LABELS[name], mark: `mark-${name}`, href: `/oauth/${name}/start?link=1` }));
    return { ...folded(rows), isEmpty: rows.length === 0, linkable, isOffered: linkable.length > 0 };
  }

  private async sessionsOf({ user, session }: AccountHolder) {
    const now = this.clock.now();
    const { browsers, apps } = await this.sessions.list(user.id);
    const named = await Promise.all(
      apps.map(async (each) => ({ ...each, name: (await this.directory.find(each.appId))?.app.name ?? null })),
    );
    const isFrom = (browser: SsoSession) => (each: ActiveGrant) =>
      each.sid === null
        ? each.authTime.getTime() === browser.authTime.getTime()
        : each.sid === (browser.sid ?? browser.id);
    const rows = browsers.map((browser) => ({
      id: browser.id,
      kind: 'sessions',
      isThis: browser.id === session?.id,
      what: describeUserAgent(browser.userAgent),
      detail: browser.userAgent ?? '',
      note: appsInWords(named.filter(isFrom(browser)).flatMap((each) => each.name ?? [])),
      ip: browser.ipAddress ?? '',
      since: timeInWords(browser.createdAt, now),
      lastUsed: timeInWords(browser.lastSeenAt, now),
    }));
    // What came from a browser that is still signed in is shown, and ended, with the browser.
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
      ip: '',
      since: timeInWords(each.createdAt, now),
      lastUsed: null,
    }));
    const all = [...rows.filter((row) => row.isThis), ...rows.filter((row) => !row.isThis), ...appRows];
    return { ...folded(all), hasOthers: all.some((row) => !row.isThis) };
  }

  private async devicesOf({ user }: AccountHolder) {
    const rows = await this.devices.list(user.id);
    return { ...folded(rows), isEmpty: rows.length === 0 };
  }

  private async appsOf({ user }: AccountHolder) {
    const now = this.clock.now();
    const enrollments = await this.enrollment.listOfUser(user.id, WHOLE_SCOPE);
    const tenantIds = [...new Set(enrollments.map((each) => each.tenantId))];
    const tenants = tenantIds.length ? await this.tenants.list({ everything: false, tenantIds, appIds: [] }) : [];
    const names = new Map(tenants.map((tenant) => [tenant.id, tenant.name]));
    const rows = enrollments.map(({ enrollment, appName, tenantId }) => ({
      name: appName,
      tenant: names.get(tenantId) ?? '',
      roles: enrollment.roles.join(', '),
      status: STATUS_WORDS[enrollment.status],
      isActive: enrollment.status === 'active',
      lastSignIn: enrollment.lastLoginAt && timeInWords(enrollment.lastLoginAt, now),
    }));
    return { ...folded(rows), isEmpty: rows.length === 0 };
  }
}

function appsInWords(names: readonly string[]): Text {
  const distinct = [...new Set(names)];
  return distinct.length > 0 ? message('account.sessions.apps', { apps: distinct.join(', ') }) : '';
}
