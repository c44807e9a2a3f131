import { Body, Controller, Get, HttpCode, Inject, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { authorityOf, governsApp } from '../common/actor.js';
import { Requires } from '../common/http/access-marks.js';
import { Ctx } from '../common/http/context.decorator.js';
import type { RequestContext } from '../common/request-context.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { AppCreate, AppListQuery, AppUpdate } from './app.dto.js';
import type { App } from './app.entity.js';
import { appSummaryView, AppView, appView, AppWithSecretView } from './app.view.js';
import { AppsService } from './apps.service.js';

class ClientSecretView {
  @ApiProperty({ description: 'Shown this once' }) client_secret: string;
}

@ApiTags('Admin: apps')
@ApiBearerAuth()
@Controller('admin/apps')
export class AppsController {
  constructor(
    private readonly apps: AppsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @Requires({ standing: 'app_manager', scope: 'apps:read' })
  @ApiOperation({ summary: 'List apps', description: 'Rows are cut to the caller; app managers see a summary.' })
  @ApiOkResponse({ type: [AppView] })
  async list(@Ctx() ctx: RequestContext, @Query() query: AppListQuery) {
    const apps = await this.apps.list(ctx, query.tenant_id);
    const { appsManaged, appsAdministered, tenants, platform } = authorityOf(ctx.actor);
    const summaryOnly = (app: { id: string; tenantId: string }) =>
      !platform && !tenants.has(app.tenantId) && appsManaged.has(app.id) && !appsAdministered.has(app.id);
    return apps.map((app) => (summaryOnly(app) && !governsApp(ctx.actor, app) ? appSummaryView(app) : this.view(app)));
  }

  @Post()
  @Requires({ standing: 'tenant_admin', scope: 'apps:write' })
  @ApiOperation({ summary: 'Create an app', description: 'The client secret is in this answer only.' })
  @ApiCreatedResponse({ type: AppWithSecretView })
  async create(@Ctx() ctx: RequestContext, @Body() input: AppCreate): Promise<AppWithSecretView> {
    const { app, clientSecret } = await this.apps.create(ctx, input);
    return { ...this.view(app), client_secret: clientSecret };
  }

  @Put(':app_id')
  @Requires({ standing: 'app_admin', scope: 'apps:write' })
  @ApiOperation({ summary: 'Update an app', description: 'Any subset; `config` is merged, its lists replace.' })
  @ApiOkResponse({ type: AppView })
  async update(@Ctx() ctx: RequestContext, @Param('app_id') id: string, @Body() input: AppUpdate): Promise<AppView> {
    return this.view(await this.apps.update(ctx, id, input));
  }

  @Post(':app_id/regenerate-secret')
  @HttpCode(200)
  @Requires({ standing: 'app_admin' })
  @ApiOperation({ summary: 'Regenerate the client secret', description: 'The old one is invalid at once.' })
  @ApiOkResponse({ type: ClientSecretView })
  async regenerateSecret(@Ctx() ctx: RequestContext, @Param('app_id') id: string): Promise<ClientSecretView> {
    return { client_secret: await this.apps.regenerateSecret(ctx, id) };
  }

  @Put(':app_id/secret')
  @Requires({ standing: 'app_admin' })
  @ApiOperation({ summary: 'Regenerate the client secret (second spelling)' })
  @ApiOkResponse({ type: ClientSecretView })
  async replaceSecret(@Ctx() ctx: RequestContext, @Param('app_id') id: string): Promise<ClientSecretView> {
    return this.regenerateSecret(ctx, id);
  }

  private view(app: App): AppView {
    return appView(app, this.settings.baseUrl);
  }
}
