import { Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MemberAccess } from '../../../admin/users/memberships/member-access.service.js';
import type { App } from '../../../apps/app/app.entity.js';
import type { EnrollmentStatus } from '../../../enrollment/enrollments/enrollment.entity.js';
import {
  isMembershipAction,
  MEMBERSHIP_ACTIONS,
  MEMBERSHIP_PERMISSION,
} from '../../../enrollment/enrollments/membership-actions.js';
import { TasksService } from '../../../operations/tasks/tasks.service.js';
import { MEMBER_TASK, type MemberTaskDetails } from '../../../operators/tasks/membership-actions.runner.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { starterOf } from '../../frame/requests/task-starter.js';
import { filterOf, type UsersFilter, usersUrl } from '../../users/list/users-filter.rules.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { MAX_AT_ONCE, type MemberChange, MemberChanges } from './member-changes.js';
import { MemberSelection, MAX_MEMBERS } from './member-selection.js';

const PICKED = /^pick:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * An action on several members. A few selected members are changed at once; more of them, or a whole list, become a
 * task. Both ask for confirmation if users lose something.
 */
@Controller('console/apps/:app_id/members/bulk')
export class MemberBulkController {
  constructor(
    private readonly access: MemberAccess,
    private readonly selection: MemberSelection,
    private readonly changes: MemberChanges,
    private readonly tasks: TasksService,
    private readonly pages: AppPages,
  ) {}

  @Post()
  @ConsolePage(MEMBERSHIP_PERMISSION.minimumRole, { ...MEMBERSHIP_PERMISSION, back: '../members' })
  @HttpCode(303)
  async begin(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') appId: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.access.app(consoleRequest.ctx, appId);
    const act = isMembershipAction(fields['act']) ? fields['act'] : null;
    const filter = filterOf({ q: fields['q'], status: fields['status'] });
    const isAll = fields['whom'] === 'all';
    const userIds =
      act &&
      (await this.choose(consoleRequest, app.id, fields, filter, isAll ? MEMBERSHIP_ACTIONS[act].from : undefined));
    const back = fields['from'] === 'users' ? usersUrl({ ...filter, appId: app.id }) : membersUrl(app, filter);
    if (!act || !userIds || userIds.length === 0)
      return this.pages.redirectWithFlash(consoleRequest, response, back, refusal(act, userIds, isAll), 'warning');
    const change = { act, app, userIds };
    if (isAll || userIds.length > MAX_AT_ONCE) return this.plan(consoleRequest, response, change, isAll);
    const question = await this.changes.questionAbout(consoleRequest, change, fields);
    if (question) return this.pages.ask(consoleRequest, response, app, 'members', { ...question, cancelUrl: back });
    const { text, kind } = await this.changes.make(consoleRequest, change);
    await this.pages.redirectWithFlash(consoleRequest, response, back, text, kind);
  }

  private async plan(
    consoleRequest: ConsoleRequest,
    response: Response,
    { act, app, userIds }: MemberChange,
    isAll: boolean,
  ): Promise<void> {
    const id = await this.tasks.create(starterOf(consoleRequest), {
      kind: MEMBER_TASK,
      tenantId: app.tenantId,
      appId: app.id,
      details: { act, app: app.name } satisfies MemberTaskDetails,
      userIds: [...userIds],
      isMeant:
        !isAll &&
        !MEMBERSHIP_ACTIONS[act].isDestructive &&
        !(act === 'approve' && (await this.selection.holdsUnverified(consoleRequest, userIds))),
    });
    await this.pages.redirectWithFlash(consoleRequest, response, `/console/tasks/${id}`, null);
  }

  /** @param state undefined: the selected members */
  private choose(
    consoleRequest: ConsoleRequest,
    appId: string,
    fields: Fields,
    filter: UsersFilter,
    state: EnrollmentStatus | null | undefined,
  ): Promise<string[] | null> {
    if (state !== undefined) return this.selection.all(consoleRequest, appId, filter, state);
    const picked = Object.keys(fields).flatMap((name) => PICKED.exec(name)?.[1] ?? []);
    return this.selection.ticked(appId, picked.slice(0, MAX_MEMBERS));
  }
}

function refusal(act: unknown, userIds: readonly string[] | null, isAll: boolean): string {
  if (!act) return 'Choose an action.';
  if (!userIds) return `More than ${MAX_MEMBERS.toLocaleString('en')} members match. Narrow the filter.`;
  return isAll ? 'No one in this list can be changed this way.' : 'Select at least one member.';
}

function membersUrl(app: App, { search, state }: UsersFilter): string {
  const query = new URLSearchParams({
    ...(search ? { q: search } : {}),
    ...(state ? { status: state } : {}),
  }).toString();
  return appPath(app, 'members', query && `?${query}`);
}
