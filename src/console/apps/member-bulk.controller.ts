import { Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PeopleAccess } from '../../admin/people/people-access.service.js';
import type { EnrollmentStatus } from '../../enrollment/enrollment.entity.js';
import { isMembershipAction, MEMBERSHIP_ACTIONS, MEMBERSHIP_PERMISSION } from '../../enrollment/membership-actions.js';
import { TasksService } from '../../operations/tasks/tasks.service.js';
import { MEMBER_TASK, type MemberTaskDetails } from '../../operators/tasks/membership-actions.runner.js';
import { ConsolePage } from '../frame/console-page.js';
import { ConsolePages } from '../frame/console-pages.js';
import { type ConsoleRequest, type Fields, FormFields, CurrentConsoleRequest } from '../frame/console-request.js';
import { starterOf } from '../tasks/task-starter.js';
import { filterOf, usersUrl } from '../users/users-filter.rules.js';
import { appPath } from './app-tabs.js';
import { MemberSelection, MAX_PEOPLE } from './member-selection.js';

const PICKED = /^pick:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * One action on several members. It becomes a task, which asks first if users lose something or if they were not all
 * visible.
 */
@Controller('console/apps/:app_id/members/bulk')
export class MemberBulkController {
  constructor(
    private readonly access: PeopleAccess,
    private readonly selection: MemberSelection,
    private readonly tasks: TasksService,
    private readonly pages: ConsolePages,
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
    const people =
      act &&
      (await this.choose(consoleRequest, app.id, fields, filter, isAll ? MEMBERSHIP_ACTIONS[act].from : undefined));
    if (!act || !people || people.length === 0) {
      const back = fields['from'] === 'users' ? usersUrl({ ...filter, appId: app.id }) : appPath(app, 'members');
      return this.pages.redirectWithFlash(consoleRequest, response, back, refusal(act, people, isAll), 'warning');
    }
    const id = await this.tasks.create(starterOf(consoleRequest), {
      kind: MEMBER_TASK,
      tenantId: app.tenantId,
      appId: app.id,
      details: { act, app: app.name } satisfies MemberTaskDetails,
      people,
      isMeant:
        !isAll &&
        !MEMBERSHIP_ACTIONS[act].isDestructive &&
        !(act === 'approve' && (await this.selection.holdsUnverified(consoleRequest, people))),
    });
    await this.pages.redirectWithFlash(consoleRequest, response, `/console/tasks/${id}`, null);
  }

  /** @param state undefined: those who are ticked */
  private choose(
    consoleRequest: ConsoleRequest,
    appId: string,
    fields: Fields,
    filter: ReturnType<typeof filterOf>,
    state: EnrollmentStatus | null | undefined,
  ): Promise<string[] | null> {
    if (state !== undefined) return this.selection.all(consoleRequest, appId, filter, state);
    const picked = Object.keys(fields).flatMap((name) => PICKED.exec(name)?.[1] ?? []);
    return this.selection.ticked(appId, picked.slice(0, MAX_PEOPLE));
  }
}

function refusal(act: unknown, people: readonly string[] | null, isAll: boolean): string {
  if (!act) return 'Choose an action.';
  if (!people) return `More than ${MAX_PEOPLE.toLocaleString('en')} people match. Narrow the filter.`;
  return isAll ? 'No one in this list can be changed this way.' : 'Select at least one member.';
}
