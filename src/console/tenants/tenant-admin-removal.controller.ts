import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { TenantAdminsReader } from '../../admin/tenant-admins/tenant-admins-reader.service.js';
import { TenantAdminsService } from '../../admin/tenant-admins/tenant-admins.service.js';
import { TenantReader } from '../../admin/tenants/tenant-reader.service.js';
import type { TenantInFull } from '../../admin/tenants/tenant.view.js';
import { EnrollmentNotFound } from '../../enrollment/enrollments/enrollment.errors.js';
import { PLAIN_CONFIRMATION } from '../frame/pages/confirmation.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { ActFacts, type Fact } from '../previews/act-facts.js';
import { tenantNavigation } from './tenant-navigation.js';

/** Removes an admin of a tenant, after showing the effects. */
@Controller('console/tenants/:tenant_id/admins/:user_id/remove')
export class TenantAdminRemovalController {
  constructor(
    private readonly admins: TenantAdminsService,
    private readonly reader: TenantAdminsReader,
    private readonly tenants: TenantReader,
    private readonly facts: ActFacts,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('tenant_admin', { recentSignIn: 'always' })
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Param('user_id') userId: string,
    @Res() response: Response,
  ): Promise<void> {
    const full = await this.tenants.get(consoleRequest.ctx, id);
    const member = await this.reader.find(consoleRequest.ctx, id, userId);
    if (!member) throw new EnrollmentNotFound();
    const { area, tenantId, crumbs } = tenantNavigation(consoleRequest, full, null);
    const list = `/console/tenants/${id}/admins`;
    await this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      title: `Remove ${member.displayName} as an admin?`,
      lead: `They immediately lose access to the administration of ${full.tenant.name}. They keep their account and their apps.`,
      area,
      tenantId,
      crumbs: [...crumbs, { label: 'Admins', href: list }],
      impact: [
        { label: 'User', value: `${member.displayName}, ${member.email}` },
        ...(await this.foresee(consoleRequest, full, userId)),
      ],
      isDanger: true,
      action: `${list}/${userId}/remove`,
      button: 'Remove admin',
      cancelUrl: list,
    });
  }

  @Post()
  @ConsolePage('tenant_admin', { recentSignIn: 'always' })
  async remove(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Param('user_id') userId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.admins.remove(consoleRequest.ctx, id, userId);
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      `/console/tenants/${id}/admins`,
      'The admin was removed.',
    );
  }

  private async foresee(
    consoleRequest: ConsoleRequest,
    { consoleAppId }: TenantInFull,
    userId: string,
  ): Promise<Fact[]> {
    return consoleAppId ? this.facts.ofMembers(consoleRequest, consoleAppId, 'remove', [userId]) : [];
  }
}
