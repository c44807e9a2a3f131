import { Controller, Get, Inject, Query, Res, Post } from '@nestjs/common';
import type { Response } from 'express';
import { RESERVED_BUNDLE_ID } from '../../../apps/settings/app-access.rules.js';
import { AppCreate } from '../../../apps/settings/app.dto.js';
import type { App } from '../../../apps/app/app.entity.js';
import { AppCreationService } from '../../../apps/changes/app-creation.service.js';
import { redirectUrisOf } from '../../../apps/app/redirect-uri.rules.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { isUuid } from '../../../common/validation/fields.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { formErrors, readForm } from '../../frame/lists/form-input.js';
import { AppPages } from '../page/app-pages.js';
import { listCrumb } from '../page/app-tabs.js';
import { linesOf } from '../../frame/lists/form-values.js';
import { environmentOf, nextSteps } from '../integration/integration.js';
import { hostedPageUrl } from '../integration/quick-start.js';
import { clientTypeOptions, policyOptions } from '../sign-in/sign-in-form.js';
import { TenantOptions } from './tenant-options.js';

const REFUSALS = { bundle_id_already_exists: 'bundle_id', tenant_not_found: 'tenant_id' };
export const RESERVED: FormError = { field: 'bundle_id', message: 'Names that begin with console. are reserved.' };

/** Creates an app. Only the page that answers the form shows its client secret, and only once. */
@Controller('console')
export class NewAppController {
  constructor(
    private readonly creation: AppCreationService,
    private readonly tenants: TenantOptions,
    private readonly pages: ConsolePages,
    private readonly appPages: AppPages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('apps/new')
  @ConsolePage('tenant_admin')
  form(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query('tenant_id') tenantId: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const chosen = isUuid(tenantId) ? String(tenantId).toLowerCase() : (consoleRequest.tenantId ?? '');
    return this.show(consoleRequest, response, { tenant_id: chosen }, []);
  }

  @Post('apps/new')
  @ConsolePage('tenant_admin')
  async create(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const form = readForm(AppCreate, {
      name: fields['name'],
      tenant_id: fields['tenant_id'] || undefined,
      bundle_id: fields['bundle_id'],
      registration_policy: fields['registration_policy'],
      config: {
        redirect_uris: linesOf(fields['redirect_uris']) ?? [],
        client_type: fields['client_type'] || null,
        // Approval relies on the e-mail address.
        require_verified_email: fields['registration_policy'] === 'approval',
      },
    });
    if ('errors' in form) return this.show(consoleRequest, response, fields, form.errors);
    if (RESERVED_BUNDLE_ID.test(form.input.bundle_id)) return this.show(consoleRequest, response, fields, [RESERVED]);
    const { input } = form;
    try {
      const { app, clientSecret } = await this.creation.create(consoleRequest.ctx, {
        ...input,
        tenant_id: input.tenant_id.toLowerCase(),
      });
      await this.appPages.show(consoleRequest, response, app, {
        tab: 'overview',
        view: 'created',
        title: 'Created',
        model: this.createdModel(app, clientSecret),
      });
    } catch (error) {
      return this.show(consoleRequest, response, fields, formErrors(error, REFUSALS));
    }
  }

  private createdModel(app: App, clientSecret: string | null) {
    const { baseUrl } = this.settings;
    const uris = redirectUrisOf(app, baseUrl);
    return {
      clientSecret,
      issuer: baseUrl,
      environment: environmentOf(app, baseUrl, uris, clientSecret),
      steps: nextSteps(app, uris, hostedPageUrl(baseUrl, app.id, uris)),
    };
  }

  private async show(
    consoleRequest: ConsoleRequest,
    response: Response,
    fields: Fields,
    errors: readonly FormError[],
  ): Promise<void> {
    const tenantId = isUuid(fields['tenant_id']) ? fields['tenant_id'].toLowerCase() : null;
    await this.pages.show(consoleRequest, response, {
      view: 'apps/new',
      title: 'New app',
      area: 'apps',
      crumbs: [listCrumb(consoleRequest)],
      status: errors.length > 0 ? 422 : 200,
      model: {
        errors,
        tenants: await this.tenants.choose(consoleRequest, tenantId),
        policies: policyOptions(fields['registration_policy'] ?? 'invite'),
        clientTypes: clientTypeOptions(fields['client_type'] ?? ''),
        name: fields['name'] ?? '',
        bundleId: fields['bundle_id'] ?? '',
        redirectUris: fields['redirect_uris'] ?? '',
      },
    });
  }
}
