import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { type Actor, canAdministerApp } from '../../common/actor.js';
import { Requires } from '../../common/http/access-marks.js';
import { type ContextualRequest, Ctx } from '../../common/http/context.decorator.js';
import { setPageHeaders } from '../../common/http/pagination/page-headers.js';
import { wholeListOrPage } from '../../common/http/pagination/page-size.js';
import { listInParts } from '../../common/http/streams/streamed-list.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { AppCreate, AppListQuery, AppUpdate } from '../settings/app.dto.js';
import type { App } from '../app/app.entity.js';
import { AppSummaryView, appSummaryView, AppView, appView, AppWithSecretView } from '../settings/app.view.js';
import { AppCreationService } from './app-creation.service.js';
import { AppUpdateService } from './app-update.service.js';
import { AppsService } from '../directory/apps.service.js';
import { appScope, coversScope } from '../settings/app-access.rules.js';
import { SecretRegenerationService } from './secret-regeneration.service.js';

class ClientSecretView {
  @ApiProperty({ description: 'Shown only once' }) client_secret: string;
}

@ApiTags('Admin: apps')
@ApiBearerAuth()
@Controller('admin/apps')
export class AppsController {
  constructor(
    private readonly apps: AppsService,
    private readonly creation: AppCreationService,
    private readonly updates: AppUpdateService,
    private readonly secrets: SecretRegenerationService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @Requires({ minimumRole: 'app_manager', scope: 'apps:read' })
  @ApiOperation({
    summary: 'List apps',
    description:
      'Newest first. You see the apps that you administer; app managers see a summary. Returns all apps, up to 1,000, unless you send `limit` or `page`. Returns X-Total-Count and Link headers.',
  })
  @ApiExtraModels(AppView, AppSummaryView)
  @ApiOkResponse({
    schema: {
      type: 'array',
      items: { anyOf: [{ $ref: getSchemaPath(AppView) }, { $ref: getSchemaPath(AppSummaryView) }] },
    },
  })
  async list(
    @Ctx() ctx: RequestContext,
    @Query() query: AppListQuery,
    @Req() request: ContextualRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<unknown[] | StreamableFile> {
    const page = wholeListOrPage(query);
    const filter = { tenantId: query.tenant_id, archived: query.archived, ...page };
    const { parts, total } = await this.apps.listInParts(ctx, filter, response);
    setPageHeaders(request, response, { ...page, total });
    const scope = appScope(ctx.actor);
    return listInParts(parts, {
      viewOf: (app) => this.viewFor(request.context.actor, app),
      recheck: async () => {
        await request.judgeAgain();
        if (!coversScope(appScope(request.context.actor), scope)) throw new InsufficientPermissions();
      },
    });
  }

  private viewFor(actor: Actor, app: App): AppView | AppSummaryView {
    return actor.type === 'service' || canAdministerApp(actor, app) ? this.view(app) : appSummaryView(app);
  }

  @Post()
  @Requires({ minimumRole: 'tenant_admin', scope: 'apps:write', recentSignIn: 'for_settings' })
  @ApiOperation({
    summary: 'Create an app',
    description:
      'Only this response contains the client secret. `service_scopes` with `apps:read` or `apps:write` requires a sign-in from the last 15 minutes.',
  })
  @ApiCreatedResponse({ type: AppWithSecretView })
  @ApiNotFoundResponse({ description: '`Tenant not found`' })
  @ApiConflictResponse({
    description: '`Bundle ID already exists`; `The tenant has too many apps. Archive one first` (at 1,000 apps)',
  })
  async create(@Ctx() ctx: RequestContext, @Body() input: AppCreate): Promise<AppWithSecretView> {
    const { app, clientSecret } = await this.creation.create(ctx, input);
    return { ...this.view(app), client_secret: clientSecret };
  }

  @Put(':app_id')
  @Requires({ minimumRole: 'app_admin', scope: 'apps:write', recentSignIn: 'for_settings' })
  @ApiOperation({
    summary: 'Update an app',
    description:
      'Send any subset of the fields. `config` is merged; lists are replaced. It has at most 64 KB of JSON. Changing `token_endpoint_auth_method`, `jwks` or `jwks_uri`, adding a redirect URI to an app that is not `confidential` (except for a loopback address), turning on `device_grant` of such an app, changing `client_type` from `confidential`, turning off `require_2fa`, adding another method to an app that accepts only passkeys, removing `password` or `passkey` from `allowed_providers`, adding `admin` or `manager` to `auto_assign_roles` or setting `registration_policy` to `open` with one of these roles in it, or adding `apps:read` or `apps:write` to `service_scopes`, requires a sign-in from the last 15 minutes; service tokens cannot do any of this, except remove a sign-in method. For the server of an app, its own app does not count as `confidential`. Only administrators of the tenant can set `third_party` to false, and only with such a sign-in.',
  })
  @ApiOkResponse({ type: AppView })
  @ApiNotFoundResponse({ description: '`App not found`' })
  @ApiConflictResponse({
    description:
      '`Bundle ID already exists`; when you switch the app on: `Tenant is not active`, `App is archived. Restore it first`; when you grant `apps:*` and an app admin has created the secret or the keys: `Regenerate the client secret first`, `Replace the keys of the app first`',
  })
  async update(@Ctx() ctx: RequestContext, @Param('app_id') id: string, @Body() input: AppUpdate): Promise<AppView> {
    return this.view(await this.updates.update(ctx, id, input));
  }

  @Post(':app_id/regenerate-secret')
  @HttpCode(200)
  @Requires({ minimumRole: 'app_admin', recentSignIn: 'always' })
  @ApiOperation({ summary: 'Regenerate the client secret', description: 'The old secret stops working immediately.' })
  @ApiOkResponse({ type: ClientSecretView })
  @ApiNotFoundResponse({ description: '`App not found`' })
  async regenerateSecret(@Ctx() ctx: RequestContext, @Param('app_id') id: string): Promise<ClientSecretView> {
    return { client_secret: await this.secrets.regenerate(ctx, id) };
  }

  @Put(':app_id/secret')
  @Requires({ minimumRole: 'app_admin', recentSignIn: 'always' })
  @ApiOperation({ summary: 'Regenerate the client secret (alias)' })
  @ApiOkResponse({ type: ClientSecretView })
  @ApiNotFoundResponse({ description: '`App not found`' })
  async replaceSecret(@Ctx() ctx: RequestContext, @Param('app_id') id: string): Promise<ClientSecretView> {
    return this.regenerateSecret(ctx, id);
  }

  private view(app: App): AppView {
    return appView(app, this.settings.baseUrl);
  }
}
