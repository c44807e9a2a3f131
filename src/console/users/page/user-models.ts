import { Injectable } from '@nestjs/common';
import { type CheckedRule, isAllowed } from '../../../admin/users/access-check/access-check.rules.js';
import type { VisibleSessions } from '../../../admin/users/sessions/visible-sessions.service.js';
import type { UserInDetail } from '../../../admin/users/directory/user-detail.view.js';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import type { ClientHosts } from '../../../apps/directory/client-hosts.rules.js';
import { describeUserAgent } from '../../../auth/session/known-browsers/user-agent.rules.js';
import { canAdministerApp, canAdministerTenant } from '../../../common/actor.js';
import { Clock } from '../../../common/clock.js';
import { timeInWords } from '../../../common/pages/time-in-words.js';
import { PROVIDER_LABELS } from '../../../config/provider-settings.js';
import type { EnrollmentWithApp } from '../../../enrollment/enrollments/enrollments.repository.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';
import { appChoices, type AppSelection, type OwnApp } from '../../frame/requests/own-apps.js';
import { MEMBER_STATES } from '../../memberships/member-states.js';
import { type FixContext, fixOf, ruleInWords } from './rule-words.js';

const PLATFORMS = { web: 'Browser', ios: 'iPhone or iPad', android: 'Android' } as const;

/** Models of the tabs of a user's page. */
@Injectable()
export class UserModels {
  constructor(
    private readonly directory: AppDirectory,
    private readonly clock: Clock,
  ) {}

  async overview(
    consoleRequest: ConsoleRequest,
    detail: UserInDetail,
    apps: readonly OwnApp[],
    hasMoreApps: boolean,
  ): Promise<Record<string, unknown>> {
    const { enrollments, linkedAccounts, tenantNames, user } = detail;
    const now = this.clock.now();
    const enrolled = new Set(enrollments.map(({ enrollment }) => enrollment.appId));
    return {
      enrollments: enrollments.map((each) => this.enrollmentModel(consoleRequest, user, each, tenantNames)),
      enrollable: hasMoreApps || apps.some(({ id, isConsoleApp }) => !enrolled.has(id) && !isConsoleApp),
      linked: linkedAccounts.map(({ provider, email, linkedAt }) => ({
        label: PROVIDER_LABELS[provider],
        mark: `mark-${provider}`,
        email: email ?? '',
        since: timeInWords(linkedAt, now),
      })),
      secondFactorSince: user.totpEnabledAt && timeInWords(user.totpEnabledAt, now),
    };
  }

  access(
    { apps, search, isSearchable }: AppSelection,
    app: OwnApp | null,
    rules: readonly CheckedRule[],
    reader: FixContext,
  ): Record<string, unknown> {
    const rows = (verdict: CheckedRule['verdict']) =>
      rules
        .filter((each) => each.verdict === verdict)
        .map(({ rule, explanation }) => ({ ...ruleInWords(rule, verdict), rule, explanation }));
    const withFixes = <Row extends { readonly rule: string }>(all: readonly Row[]) =>
      all.map((row) => ({ ...row, fix: app && fixOf(row.rule, app, reader) }));
    return {
      apps: appChoices(apps, app?.id),
      appSearch: search,
      isSearchable,
      appName: app?.name ?? null,
      allowed: isAllowed(rules),
      blocked: withFixes(rows('fail')),
      info: withFixes(rows('info')),
      passed: rows('pass'),
    };
  }

  async sessions({ devices }: UserInDetail, { browsers, apps, consents }: VisibleSessions) {
    const now = this.clock.now();
    return {
      browsers: browsers.map((session) => ({
        id: session.id,
        what: describeUserAgent(session.userAgent),
        detail: session.userAgent ?? '',
        ip: session.ipAddress ?? '',
        since: timeInWords(session.createdAt, now),
        lastUsed: timeInWords(session.lastSeenAt, now),
      })),
      signIns: apps.map((each) => ({
        id: each.id,
        what: each.appName,
        detail: [
          ...(each.deviceId ? [`On the device ${each.deviceId}`] : []),
          ...(each.actors.length > 0 ? [`Used by ${each.actors.join(', ')}`] : []),
        ].join(' · '),
        since: timeInWords(each.createdAt, now),
      })),
      consents: consents.map((each) => ({
        appId: each.appId,
        what: each.appName,
        detail: [each.scopes.join(', '), placeInWords(each.hosts)].filter((text) => text !== '').join(' · '),
        since: timeInWords(each.grantedAt, now),
      })),
      devices: await Promise.all(
        devices.map(async (device) => ({
          what: PLATFORMS[device.platform],
          appName: (await this.directory.find(device.appId))?.app.name ?? 'An app',
          lastSeen: timeInWords(device.lastSeenAt, now),
        })),
      ),
    };
  }

  private enrollmentModel(
    consoleRequest: ConsoleRequest,
    user: UserInDetail['user'],
    { enrollment, appName, tenantId, isConsoleApp }: EnrollmentWithApp,
    tenantNames: ReadonlyMap<string, string>,
  ) {
    const { appId, userId, roles, status, lastLoginAt } = enrollment;
    const now = this.clock.now();
    const governed = isConsoleApp
      ? canAdministerTenant(consoleRequest.actor, tenantId)
      : canAdministerApp(consoleRequest.actor, { id: appId, tenantId });
    const isSelf = consoleRequest.actor.userId === userId;
    return {
      appId,
      appName,
      tenantName: tenantNames.get(tenantId) ?? '',
      roles: isConsoleApp ? 'tenant admin' : roles.join(', '),
      ...MEMBER_STATES[status],
      lastLogin: lastLoginAt && timeInWords(lastLoginAt, now),
      mayChange: governed,
      isActive: status === 'active',
      isPending: status === 'pending',
      asksToApprove: status === 'pending' && !user.emailVerified,
      isSuspended: status === 'suspended',
      hasRoles: !isConsoleApp && status !== 'pending',
      isSelf,
      isVerified: user.emailVerified,
      hasActions: status !== 'pending' && (!isSelf || !isConsoleApp),
    };
  }
}

/** Text for the hosts of a self-registered client. */
function placeInWords(hosts: ClientHosts | null): string {
  if (hosts === null) return '';
  const names = [...new Set([hosts.publisher ?? [], hosts.leadsTo].flat())];
  return [...names, ...(hosts.isOnDevice ? ['on the user’s device'] : [])].join(', ');
}
