import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { TenantInFull } from '../../admin/tenants/tenant.view.js';
import { TenantUpdateService } from '../../admin/tenants/tenant-update.service.js';
import { TenantReader } from '../../admin/tenants/tenant-reader.service.js';
import { sendFile } from '../../common/http/streams/streamed-file.js';
import type { FormError } from '../../common/pages/form-error.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import { isTyped, notTyped, PLAIN_CONFIRMATION } from '../frame/pages/confirmation.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../frame/requests/console-request.js';
import { ChangeReview, type ReviewedPrediction } from '../previews/change-review.js';
import { tenantNavigation } from './tenant-navigation.js';

const SWITCH_OFF = { is_active: false } as const;

/** Switches a tenant on and off, and shows the effects. */
@Controller('console/tenants/:tenant_id/danger')
export class TenantDangerController {
  constructor(
    private readonly tenants: TenantReader,
    private readonly updates: TenantUpdateService,
    private readonly review: ChangeReview,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('platform_admin')
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.show(consoleRequest, response, await this.getSwitchable(consoleRequest, id), []);
  }

  /** Switches to the state opposite to that on the page, so that two windows do not undo each other. */
  @Post()
  @ConsolePage('platform_admin')
  async switch(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const full = await this.getSwitchable(consoleRequest, id);
    const on = fields['to'] === 'on';
    if (!on && !isTyped(fields, full.tenant.name)) return this.show(consoleRequest, response, full, notTyped());
    const form = formToReview(consoleRequest, full, fields);
    const reviewed: ReviewedPrediction | null = on ? {} : await this.review.ofTenant(consoleRequest, response, form);
    if (!reviewed) return;
    await this.updates.update(consoleRequest.ctx, id, { is_active: on }, reviewed.prediction);
    const words = on
      ? 'is switched on again, and so are the apps that were switched off with it.'
      : 'is switched off, and so are its apps.';
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      `/console/tenants/${id}`,
      `${full.tenant.name} ${words}`,
    );
  }

  /** The users who could no longer sign in, as a file. */
  @Post('affected')
  @HttpCode(200)
  @ConsolePage('platform_admin')
  async affected(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.getSwitchable(consoleRequest, id);
    await sendFile(response, await this.review.fileOfTenant(consoleRequest, id, SWITCH_OFF));
  }

  /** The tenant of the platform itself has no switch. @throws TenantNotFound, InsufficientPermissions */
  private async getSwitchable(consoleRequest: ConsoleRequest, id: string): Promise<TenantInFull> {
    const full = await this.tenants.get(consoleRequest.ctx, id);
    if (full.tenant.isPlatform) throw new InsufficientPermissions();
    return full;
  }

  private show(
    consoleRequest: ConsoleRequest,
    response: Response,
    full: TenantInFull,
    errors: readonly FormError[],
  ): Promise<void> {
    const { tenant, appCount, userCount } = full;
    const { area, tenantId, crumbs } = tenantNavigation(consoleRequest, full, null);
    const common = {
      ...PLAIN_CONFIRMATION,
      area,
      tenantId,
      crumbs,
      status: errors.length > 0 ? 422 : 200,
      errors,
      action: `/console/tenants/${tenant.id}/danger`,
      cancelUrl: `/console/tenants/${tenant.id}`,
    };
    if (!tenant.isActive) {
      return this.pages.confirm(consoleRequest, response, {
        ...common,
        title: `Switch ${tenant.name} on again?`,
        lead: 'Apps that were switched off with the tenant are switched on again. Apps that were off before stay off.',
        impact: [
          { label: 'Apps', value: String(appCount) },
          { label: 'Users', value: String(userCount) },
        ],
        hidden: [{ name: 'to', value: 'on' }],
        button: 'Switch tenant on',
      });
    }
    return this.pages.confirm(consoleRequest, response, {
      ...common,
      title: `Switch ${tenant.name} off?`,
      lead: 'Users can no longer sign in to its apps, and every token stops working immediately. Nothing is deleted, and you can switch it on again.',
      impact: [
        { label: 'Apps that stop', value: String(appCount) },
        { label: 'Users who lose access to them', value: String(userCount) },
        { label: 'Also stops', value: 'Its admins’ access to the console, service tokens, push and webhooks' },
      ],
      typeToConfirm: tenant.name,
      hidden: [{ name: 'to', value: 'off' }],
      isDanger: true,
      button: 'Switch tenant off',
    });
  }
}

function formToReview(consoleRequest: ConsoleRequest, full: TenantInFull, fields: Fields) {
  const { id } = full.tenant;
  const { area, tenantId, crumbs } = tenantNavigation(consoleRequest, full, null);
  return {
    id,
    input: SWITCH_OFF,
    fields,
    navigation: { area, tenantId, crumbs },
    action: `/console/tenants/${id}/danger`,
    fileAction: `/console/tenants/${id}/danger/affected`,
    back: `/console/tenants/${id}`,
    button: 'Switch tenant off',
    canWait: true,
  };
}
