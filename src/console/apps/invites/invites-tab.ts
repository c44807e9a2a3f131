import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../../common/i18n/message.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import type { App } from '../../../apps/app/app.entity.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { Clock } from '../../../common/clock.js';
import { leftInWords } from '../../../common/pages/durations.js';
import { timeInWords } from '../../../common/pages/time-in-words.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { governsInvites, isRenewable } from '../../../invites/invite/invite.rules.js';
import type { ShownInvite } from '../../../invites/invite/invite.view.js';
import { InvitesService } from '../../../invites/creation/invites.service.js';
import { confirmIdentityPath } from '../../frame/requests/console.errors.js';
import type { ConsoleRequest, Fields } from '../../frame/requests/console-request.js';
import { pagerOf, readChosenPage } from '../../frame/lists/pager.js';
import { column } from '../../frame/lists/table-column.js';
import { inviteLink } from '../../invites/invite-link.js';
import { inviteState, usesInWords } from '../../invites/invite-state.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';

const COLUMNS = [
  column('Code and address'),
  column('State'),
  column('Roles'),
  column('Uses', { className: 'number' }),
  column('Created'),
  column('Actions'),
];
/** Prefix of role names in form fields. */
export const ROLE = 'role_';

/** The invites of an app and the form for a new one. App managers see nothing else of the app. */
@Injectable()
export class InvitesTab {
  constructor(
    private readonly invites: InvitesService,
    private readonly apps: AppsService,
    private readonly pages: AppPages,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @param fields values of a form with errors; null: an empty form
   * @throws AppNotFound, InsufficientPermissions
   */
  async show(
    consoleRequest: ConsoleRequest,
    request: Request,
    response: Response,
    appId: string,
    fields: Fields | null = null,
    errors: readonly FormError[] = [],
  ): Promise<void> {
    const page = readChosenPage(request.query);
    const { invites, total } = await this.invites.list(consoleRequest.ctx, appId, page);
    const app = await this.apps.get(appId);
    const mayChange = governsInvites(consoleRequest.actor, app);
    await this.pages.show(consoleRequest, response, app, {
      tab: 'invites',
      errors,
      model: {
        mayChange,
        roles: mayChange ? rolesOf(app, fields) : [],
        maxUses: fields?.['max_uses'] ?? '1',
        days: fields?.['expires_days'] ?? '7',
        email: fields?.['send_to_email'] ?? '',
        columns: COLUMNS,
        invites: invites.map((each) => this.row(app, each, mayChange)),
        confirmUrl: confirmIdentityPath(request.method === 'GET' ? request.originalUrl : appPath(app, 'invites')),
        pager: pagerOf(request, { ...page, total, count: invites.length }),
      },
    });
  }

  private row(app: App, { invite, status, secondsLeft, code, isCodeWithheld }: ShownInvite, mayChange: boolean) {
    const now = this.clock.now();
    const path = appPath(app, 'invites', `/${invite.id}`);
    const isUsable = status === 'usable';
    return {
      code: isUsable ? code : null,
      isCodeWithheld: isUsable && isCodeWithheld,
      link: code && inviteLink(this.settings.baseUrl, code),
      email: invite.email,
      state: inviteState({ invite, status }),
      holds: isUsable ? message('common.wait.left', { time: leftInWords(secondsLeft) }) : '',
      roles: invite.roles.join(', '),
      uses: usesInWords(invite),
      made: timeInWords(invite.createdAt, now),
      revokeUrl: mayChange && (isUsable || status === 'lapsed') ? `${path}/revoke` : null,
      resendUrl: mayChange && isRenewable(app, invite) ? `${path}/resend` : null,
    };
  }
}

/** Every invite contains `user`. */
function rolesOf(app: App, fields: Fields | null) {
  return app.config.available_roles
    .filter((role) => role !== 'user')
    .map((role) => ({ id: `${ROLE}${role}`, label: role, checked: fields?.[`${ROLE}${role}`] === 'on', hint: '' }));
}
