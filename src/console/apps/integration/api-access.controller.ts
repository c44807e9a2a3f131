import { Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { workingScopes } from '../../../apps/settings/app-config.rules.js';
import { AppUpdate } from '../../../apps/settings/app.dto.js';
import type { App } from '../../../apps/app/app.entity.js';
import { AppUpdateService } from '../../../apps/changes/app-update.service.js';
import { SecretRegenerationService } from '../../../apps/changes/secret-regeneration.service.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { canAdministerTenant } from '../../../common/actor.js';
import { SERVICE_SCOPES, type ServiceScope } from '../../../common/http/access-marks.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { formErrors, readForm } from '../../frame/lists/form-input.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { tickedOf } from '../../frame/lists/form-values.js';
import { clientMethodOf } from './integration.js';
import { serviceTokenCall } from './quick-start.js';

const SCOPE = 'scope_';
const WORDS: Readonly<Record<ServiceScope, string>> = {
  'push:send': 'Send notifications to the app’s users, read their delivery status, remove devices.',
  'users:read': 'List the users of this app.',
  'users:create': 'Create accounts and add them to this app.',
  'invites:create': 'Create invites to this app, without admin roles.',
  'apps:read': 'List all apps of the tenant.',
  'apps:write': 'Create and change all apps of the tenant.',
};

interface Shown {
  readonly fields?: Fields;
  readonly errors?: readonly FormError[];
  /** New secret. Only this response shows it. */
  readonly clientSecret?: string;
}

/** The permissions of the app's server, and the secret with which it authenticates. */
@Controller('console/apps/:app_id/api-access')
export class ApiAccessController {
  constructor(
    private readonly updates: AppUpdateService,
    private readonly secrets: SecretRegenerationService,
    private readonly pages: AppPages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.tab(consoleRequest, response, await this.pages.governed(consoleRequest, id));
  }

  @Post()
  @ConsolePage('tenant_admin', { recentSignIn: 'for_settings' })
  async save(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const form = readForm(AppUpdate, { service_scopes: tickedOf(fields, SCOPE) });
    if ('errors' in form) return this.tab(consoleRequest, response, app, { fields, errors: form.errors });
    try {
      await this.updates.update(consoleRequest.ctx, id, form.input);
    } catch (error) {
      return this.tab(consoleRequest, response, app, { fields, errors: formErrors(error) });
    }
    await this.pages.redirectWithFlash(consoleRequest, response, appPath(app, 'api-access'), 'The scopes were saved.');
  }

  @Get('secret')
  @ConsolePage('app_admin', { recentSignIn: 'always' })
  async askSecret(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    await this.pages.ask(consoleRequest, response, app, 'api-access', {
      title: `Regenerate the client secret of ${app.name}?`,
      lead: 'The current secret stops working immediately: the app’s server cannot get tokens until it has the new one.',
      action: appPath(app, 'api-access', '/secret'),
      button: 'Regenerate secret',
    });
  }

  /** Only this response shows the secret; no URL shows it again. */
  @Post('secret')
  @ConsolePage('app_admin', { recentSignIn: 'always' })
  async regenerate(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const clientSecret = await this.secrets.regenerate(consoleRequest.ctx, id);
    await this.tab(consoleRequest, response, await this.pages.governed(consoleRequest, id), { clientSecret });
  }

  private tab(
    consoleRequest: ConsoleRequest,
    response: Response,
    app: App,
    { fields, errors = [], clientSecret }: Shown = {},
  ): Promise<void> {
    const held = new Set(app.serviceScopes);
    const method = clientMethodOf(app);
    const usesKeys = method === 'key';
    const boxes = SERVICE_SCOPES.map((scope) => ({
      id: `${SCOPE}${scope}`,
      label: scope,
      checked: fields ? fields[`${SCOPE}${scope}`] === 'on' : held.has(scope),
      hint: WORDS[scope],
    }));
    return this.pages.show(consoleRequest, response, app, {
      tab: 'api-access',
      errors,
      model: {
        clientSecret: clientSecret ?? null,
        withheld: app.serviceScopes
          .filter((scope) => !workingScopes(app.serviceScopes, app.config).includes(scope))
          .join(', '),
        usesKeys,
        isPublic: method === 'none',
        keysUri: app.config.jwks_uri ?? null,
        mayChange: canAdministerTenant(consoleRequest.actor, app.tenantId),
        scopes: boxes,
        held: SERVICE_SCOPES.filter((scope) => held.has(scope)).map((scope) => ({ scope, words: WORDS[scope] })),
        call: serviceTokenCall(this.settings.baseUrl, app.id, app.serviceScopes, usesKeys),
      },
    });
  }
}
