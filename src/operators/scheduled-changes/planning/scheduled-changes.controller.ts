import { Body, Controller, Delete, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Actor } from '../../../common/actor.js';
import { Requires } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { setPageHeaders } from '../../../common/http/pagination/page-headers.js';
import { pageOf } from '../../../common/http/pagination/page-size.js';
import { StatusView } from '../../../common/http/status.view.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { Proof } from '../../../users/proof.js';
import type { ChangeSubject } from './change-targets.js';
import { AppSchedule, ScheduledChangesQuery, TenantSchedule } from './scheduled-change.dto.js';
import { ScheduledChangeView, scheduledChangeView } from './scheduled-change.view.js';
import { ScheduledChanges } from './scheduled-changes.service.js';

const DESCRIPTION =
  'The change is checked like an update, and again when it is due, with the rights that you have then. It is not made if ' +
  'someone has changed the same settings in the meantime. Members who have to do something get an e-mail ten minutes ' +
  'after you schedule the change and on the day before it, if their address is verified, and at most three such e-mails a ' +
  'day. You get an e-mail with the result.';
const CONFLICT =
  '`You would lock yourself out. To schedule the change all the same, send lock_me_out: true`; `Too many changes are scheduled. Cancel one first`';
const NOT_FOUND = '`Scheduled change not found`, also if you cannot see it';

/** Changes of settings that take effect later. */
@ApiBearerAuth()
@ApiTags('Admin: scheduled changes')
@Controller('admin')
export class ScheduledChangesController {
  constructor(private readonly changes: ScheduledChanges) {}

  @Post('apps/:app_id/scheduled-changes')
  @Requires({ minimumRole: 'app_admin', scope: 'apps:write', recentSignIn: 'for_settings' })
  @ApiOperation({ summary: 'Schedule an update of an app', description: DESCRIPTION })
  @ApiCreatedResponse({ type: ScheduledChangeView })
  @ApiNotFoundResponse({ description: '`App not found`' })
  @ApiConflictResponse({ description: CONFLICT })
  app(
    @Ctx() ctx: RequestContext,
    @Param('app_id') id: string,
    @Body() input: AppSchedule,
  ): Promise<ScheduledChangeView> {
    return this.plan(ctx, { of: 'app', id, input: input.change }, input);
  }

  @Post('tenants/:tenant_id/scheduled-changes')
  @Requires({ minimumRole: 'tenant_admin', recentSignIn: 'for_settings' })
  @ApiOperation({ summary: 'Schedule an update of a tenant', description: DESCRIPTION })
  @ApiCreatedResponse({ type: ScheduledChangeView })
  @ApiNotFoundResponse({ description: '`Tenant not found`' })
  @ApiConflictResponse({ description: CONFLICT })
  tenant(
    @Ctx() ctx: RequestContext,
    @Param('tenant_id') id: string,
    @Body() input: TenantSchedule,
  ): Promise<ScheduledChangeView> {
    return this.plan(ctx, { of: 'tenant', id, input: input.change }, input);
  }

  @Get('scheduled-changes')
  @Requires({ minimumRole: 'app_admin', scope: 'apps:read' })
  @ApiOperation({
    summary: 'List scheduled changes',
    description:
      'Lists the changes of apps and tenants that you administer: scheduled ones first, in the order in which they take effect, then the others, newest first. Changes are kept for a year. Returns X-Total-Count and Link headers.',
  })
  @ApiOkResponse({ type: [ScheduledChangeView] })
  async list(
    @Ctx() ctx: RequestContext,
    @Query() query: ScheduledChangesQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ScheduledChangeView[]> {
    const { tenant_id: tenantId, app_id: appId, state } = query;
    const { page, limit } = pageOf(query);
    const [rows, total] = await this.changes.list(ctx, { tenantId, appId, state }, page, limit);
    setPageHeaders(request, response, { page, limit, total });
    return rows.map(scheduledChangeView);
  }

  @Get('scheduled-changes/:change_id')
  @Requires({ minimumRole: 'app_admin', scope: 'apps:read' })
  @ApiOperation({ summary: 'Show a scheduled change' })
  @ApiOkResponse({ type: ScheduledChangeView })
  @ApiNotFoundResponse({ description: NOT_FOUND })
  async get(@Ctx() ctx: RequestContext, @Param('change_id') id: string): Promise<ScheduledChangeView> {
    return scheduledChangeView(await this.changes.get(ctx, id));
  }

  @Delete('scheduled-changes/:change_id')
  @Requires({ minimumRole: 'app_admin', scope: 'apps:write' })
  @ApiOperation({
    summary: 'Cancel a scheduled change',
    description:
      'Any operator who could make the change can cancel it. Members who got an e-mail about it get another one that it will not happen.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiNotFoundResponse({ description: NOT_FOUND })
  @ApiConflictResponse({ description: '`The change is no longer scheduled`' })
  async cancel(@Ctx() ctx: RequestContext, @Param('change_id') id: string): Promise<StatusView> {
    await this.changes.cancel(ctx, id);
    return { status: 'ok' };
  }

  private async plan(
    ctx: RequestContext,
    subject: ChangeSubject,
    { effective_at, lock_me_out: mayLockOut = false }: AppSchedule | TenantSchedule,
  ): Promise<ScheduledChangeView> {
    const { actor } = ctx;
    const credential = actor.type === 'service' ? ('service_token' as const) : ('user_token' as const);
    const amr = (actor.type === 'user' && actor.amr) || [];
    const plan = { subject, effectiveAt: new Date(effective_at), mayLockOut };
    return scheduledChangeView(await this.changes.plan({ ctx, credential, amr, proof: proofOf(actor) }, plan));
  }
}

/** The version that the access guard read together with the token. */
function proofOf(actor: Actor): Proof | null {
  if (actor.type !== 'user' || actor.credentialsVersion === undefined) return null;
  return { userId: actor.userId, credentialsVersion: actor.credentialsVersion };
}
