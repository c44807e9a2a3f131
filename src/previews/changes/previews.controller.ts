import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBearerAuth,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { AppUpdate } from '../../apps/settings/app.dto.js';
import { Requires } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { sendFile } from '../../common/http/streams/streamed-file.js';
import type { RequestContext } from '../../common/request-context.js';
import { Choice } from '../../common/validation/fields.js';
import { TenantUpdate } from '../../admin/tenants/tenant.dto.js';
import { ChangePreviews } from './change-previews.service.js';
import {
  changePreviewView,
  ChangePreviewView,
  PreviewTaskCreatedView,
  PreviewTaskView,
  previewTaskView,
} from './change-preview.view.js';
import type { PreviewSubject } from '../proposals/preview-subject.js';
import { PreviewTasks } from './preview-tasks.service.js';

const DESCRIPTION =
  'Send the body of the update. The preview judges the next sign-in of each member by the rules of sign-in, with the ' +
  'settings before and after the change. Nothing is written. `format=csv` names all affected users, and counts as an ' +
  'export of a list of users. Unless you are a platform admin, the forecast leaves out linked accounts and passkeys that ' +
  'a member did not use at the last sign-in to the app, and what they may do in apps and ' +
  'tenants that you do not administer.';

const TASK = {
  type: PreviewTaskCreatedView,
  description: 'More than 10,000 memberships: poll `GET /admin/previews/{task_id}`, the URL in the Location header',
};

class PreviewQuery {
  @Choice(['true'], { description: 'Must be `true`. To save the change, send it to the update route' })
  preview: string;

  @Choice(['json', 'csv'], { optional: true, description: 'Default json' })
  format?: string;
}

class ProviderUpdate {
  @Choice(['off'], {
    description: 'Always `off`: no one can sign in with a provider that is not in the settings of the installation',
  })
  state: string;
}

/** Previews of updates. */
@ApiBearerAuth()
@Controller('admin')
export class PreviewsController {
  constructor(
    private readonly previews: ChangePreviews,
    private readonly tasks: PreviewTasks,
  ) {}

  @Post('apps/:app_id')
  @HttpCode(200)
  @Requires({ minimumRole: 'app_admin' })
  @ApiTags('Admin: apps')
  @ApiOperation({ summary: 'Preview an update of an app', description: DESCRIPTION })
  @ApiProduces('application/json', 'text/csv')
  @ApiOkResponse({ type: ChangePreviewView })
  @ApiAcceptedResponse(TASK)
  @ApiNotFoundResponse({ description: '`App not found`' })
  async app(
    @Ctx() ctx: RequestContext,
    @Param('app_id') id: string,
    @Query() { format }: PreviewQuery,
    @Body() input: AppUpdate,
    @Res() response: Response,
  ): Promise<void> {
    return this.answer(ctx, response, { of: 'app', id, input }, format);
  }

  @Post('tenants/:tenant_id')
  @HttpCode(200)
  @Requires({ minimumRole: 'tenant_admin' })
  @ApiTags('Admin: tenants')
  @ApiOperation({ summary: 'Preview an update of a tenant', description: DESCRIPTION })
  @ApiProduces('application/json', 'text/csv')
  @ApiOkResponse({ type: ChangePreviewView })
  @ApiAcceptedResponse(TASK)
  @ApiNotFoundResponse({ description: '`Tenant not found`' })
  async tenant(
    @Ctx() ctx: RequestContext,
    @Param('tenant_id') id: string,
    @Query() { format }: PreviewQuery,
    @Body() input: TenantUpdate,
    @Res() response: Response,
  ): Promise<void> {
    return this.answer(ctx, response, { of: 'tenant', id, input }, format);
  }

  @Post('providers/:provider')
  @HttpCode(200)
  @Requires({ minimumRole: 'platform_admin' })
  @ApiTags('Admin: apps')
  @ApiOperation({
    summary: 'Preview the removal of an identity provider',
    description:
      'Shows what happens if you remove the provider from the settings of the installation: how the next sign-in of each user ' +
      'with a linked account would go, at every app that offers the provider. Nothing is written. `format=csv` names all ' +
      'affected users.',
  })
  @ApiProduces('application/json', 'text/csv')
  @ApiOkResponse({ type: ChangePreviewView })
  @ApiAcceptedResponse(TASK)
  @ApiNotFoundResponse({ description: '`Unknown provider`: it does not exist or is not configured' })
  async provider(
    @Ctx() ctx: RequestContext,
    @Param('provider') name: string,
    @Query() { format }: PreviewQuery,
    @Body() _input: ProviderUpdate,
    @Res() response: Response,
  ): Promise<void> {
    return this.answer(ctx, response, { of: 'provider', name }, format);
  }

  @Get('previews/:task_id')
  @Requires({ minimumRole: 'app_admin' })
  @ApiTags('Admin: tasks')
  @ApiOperation({
    summary: 'Get a preview',
    description:
      'You can read your own previews, for seven days after they are done, while you administer the app or tenant. One that ' +
      'you started as a platform admin needs that right. The result names only users whom you can see.',
  })
  @ApiOkResponse({ type: PreviewTaskView })
  @ApiNotFoundResponse({
    description: '`Task not found`, also if another caller has started it, or if you may no longer read it',
  })
  async follow(@Ctx() ctx: RequestContext, @Param('task_id') id: string): Promise<PreviewTaskView> {
    const task = await this.tasks.get(ctx, id);
    return previewTaskView(task, await this.tasks.resultOf(ctx, task));
  }

  /** Returns a task if there are more memberships than a request can evaluate. */
  private async answer(
    ctx: RequestContext,
    response: Response,
    subject: PreviewSubject,
    format: string | undefined,
  ): Promise<void> {
    if (format === 'csv') return sendFile(response, await this.previews.file(ctx, subject));
    const preview = await this.previews.preview(ctx, subject);
    if (preview) {
      response.json(changePreviewView(preview));
      return;
    }
    const id = await this.tasks.createByToken(ctx, subject);
    response.status(HttpStatus.ACCEPTED).location(`/admin/previews/${id}`).json({ task_id: id });
  }
}
