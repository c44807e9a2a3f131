import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { appLink } from '../../../apps/directory/app-link.js';
import { clientHosts } from '../../../apps/directory/client-hosts.rules.js';
import { WHOLE_SCOPE } from '../../../common/actor.js';
import { Clock } from '../../../common/clock.js';
import { message } from '../../../common/i18n/message.js';
import { timeInWords } from '../../../common/pages/time-in-words.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import type { EnrollmentWithApp } from '../../../enrollment/enrollments/enrollments.repository.js';
import { ALWAYS_GRANTED } from '../../../tokens/grants/consent/consent.rules.js';
import type { Consent } from '../../../tokens/grants/consent/consent.entity.js';
import { Consents } from '../../../tokens/grants/consent/consents.service.js';
import { scopeInWords } from '../../../tokens/grants/consent/scope-words.js';
import type { User } from '../../../users/user.entity.js';
import type { AccountHolder } from '../../access/account-holder.service.js';
import { type CardContent, folded } from './account-card.js';

const STATUS_WORDS = {
  active: message('account.apps.active'),
  pending: message('account.apps.pending'),
  suspended: message('account.apps.suspended'),
} as const;

/** The account page's card of the apps in which the user is enrolled. */
@Injectable()
export class AppsCard {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly directory: AppDirectory,
    private readonly consents: Consents,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async read({ user }: AccountHolder): Promise<CardContent> {
    const enrollments = await this.enrollment.listOfUser(user.id, WHOLE_SCOPE);
    const consents = await this.consents.list(user.id);
    const rows = await Promise.all(enrollments.map((each) => this.row(user, each, consents)));
    return { ...folded(rows), isEmpty: rows.length === 0 };
  }

  private async row(
    user: User,
    { enrollment, appName, isConsoleApp }: EnrollmentWithApp,
    consents: readonly Consent[],
  ): Promise<CardContent> {
    const given = consents.filter(({ appId }) => appId === enrollment.appId);
    const client = await this.directory.findOfAnyOrigin(enrollment.appId);
    const isActive = enrollment.status === 'active';
    const link = isActive && client?.isOpen ? appLink(client, this.settings.baseUrl, user.email) : null;
    const canLeave = isActive && !isConsoleApp;
    return {
      id: enrollment.appId,
      name: appName,
      claimedName: client?.app.claimedName ?? null,
      ...hostsOf(client),
      tenant: client?.tenant.name ?? '',
      roles: enrollment.roles.join(', '),
      status: STATUS_WORDS[enrollment.status],
      isActive,
      lastSignIn: enrollment.lastLoginAt && timeInWords(enrollment.lastLoginAt, this.clock.now()),
      openUrl: link?.href ?? null,
      consent: given[0]
        ? {
            scopes: [...new Set(given.flatMap(({ scopes }) => scopes))]
              .filter((scope) => scope !== ALWAYS_GRANTED)
              .map(scopeInWords),
            since: timeInWords(given.at(-1)!.grantedAt, this.clock.now()),
          }
        : null,
      canLeave,
      hasActs: canLeave || link !== null || given.length > 0,
    };
  }
}

/** Number of hosts that are shown; a client can have more. */
const SHOWN_HOSTS = 3;

function hostsOf(client: RegisteredClient | null) {
  const hosts = client && clientHosts(client.app);
  const shown = hosts?.leadsTo.slice(0, SHOWN_HOSTS) ?? [];
  return {
    publisher: hosts?.publisher ?? null,
    leadsTo: shown.length < (hosts?.leadsTo.length ?? 0) ? `${shown.join(', ')}, …` : shown.join(', '),
    isOnDevice: hosts?.isOnDevice ?? false,
  };
}
