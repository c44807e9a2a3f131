import { Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { TenantUpdate } from '../../admin/tenants/tenant.dto.js';
import { TenantReader } from '../../admin/tenants/tenant-reader.service.js';
import { TenantUpdateService } from '../../admin/tenants/tenant-update.service.js';
import type { TenantInFull } from '../../admin/tenants/tenant.view.js';
import { ReauthenticationRequired } from '../../common/http/recent-sign-in.js';
import { sendFile } from '../../common/http/streams/streamed-file.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../frame/requests/console-request.js';
import { askWhoItIs } from '../frame/requests/console.errors.js';
import { formErrors, readForm } from '../frame/lists/form-input.js';
import { ChangeReview } from '../previews/change-review.js';
import { type TenantFormValues, typedValues, updateOf } from './tenant-form.js';
import { tenantHome, tenantNavigation } from './tenant-navigation.js';
import { TenantViews } from './tenant-views.js';

/** Saves the settings of a tenant. */
@Controller('console/tenants/:tenant_id')
export class TenantSettingsController {
  constructor(
    private readonly tenants: TenantReader,
    private readonly updates: TenantUpdateService,
    private readonly views: TenantViews,
    private readonly review: ChangeReview,
    private readonly pages: ConsolePages,
  ) {}

  @Post()
  @ConsolePage('tenant_admin', { recentSignIn: 'for_settings' })
  async save(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const full = await this.tenants.get(consoleRequest.ctx, id);
    const typed = typedValues(fields);
    const read = this.read(consoleRequest, full, typed);
    if ('errors' in read) return this.views.settings(consoleRequest, response, full, typed, read.errors);
    try {
      await this.updates.checkConfirmed(consoleRequest.ctx, id, read.input);
      const about = formToReview(consoleRequest, full, fields, read.input);
      const reviewed = await this.review.ofTenant(consoleRequest, response, about);
      if (!reviewed) return;
      await this.updates.update(consoleRequest.ctx, id, read.input, reviewed.prediction);
    } catch (error) {
      // A tenant's own admins have the settings on another page than this form's path.
      if (error instanceof ReauthenticationRequired) throw askWhoItIs(tenantHome(consoleRequest, id));
      const errors = formErrors(error, { slug_already_exists: 'slug' });
      return this.views.settings(consoleRequest, response, full, typed, errors);
    }
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      tenantHome(consoleRequest, id),
      'The settings were saved.',
    );
  }

  /** The users whom the change affects, as a file. */
  @Post('affected')
  @HttpCode(200)
  @ConsolePage('tenant_admin')
  async affected(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const full = await this.tenants.get(consoleRequest.ctx, id);
    const typed = typedValues(fields);
    const read = this.read(consoleRequest, full, typed);
    if ('errors' in read) return this.views.settings(consoleRequest, response, full, typed, read.errors);
    await sendFile(response, await this.review.fileOfTenant(consoleRequest, id, read.input));
  }

  private read({ actor }: ConsoleRequest, { tenant }: TenantInFull, typed: TenantFormValues) {
    return readForm(TenantUpdate, updateOf(typed, tenant, actor.authority.platform && !tenant.isPlatform));
  }
}

function formToReview(consoleRequest: ConsoleRequest, full: TenantInFull, fields: Fields, input: TenantUpdate) {
  const { id } = full.tenant;
  const { area, tenantId, crumbs } = tenantNavigation(consoleRequest, full, null);
  return {
    id,
    input,
    fields,
    navigation: { area, tenantId, crumbs },
    action: `/console/tenants/${id}`,
    fileAction: `/console/tenants/${id}/affected`,
    back: tenantHome(consoleRequest, id),
  };
}
