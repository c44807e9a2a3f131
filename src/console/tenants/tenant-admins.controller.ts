import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { TenantAdminAssign } from '../../admin/tenant-admins/tenant-admin.dto.js';
import { TenantAdminsReader } from '../../admin/tenant-admins/tenant-admins-reader.service.js';
import { TenantAdminsService } from '../../admin/tenant-admins/tenant-admins.service.js';
import { TenantReader } from '../../admin/tenants/tenant-reader.service.js';
import type { FormError } from '../../common/pages/form-error.js';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import type { AppMember } from '../../enrollment/members/app-members.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../frame/requests/console-request.js';
import { formErrors, readForm } from '../frame/lists/form-input.js';
import { searchText } from '../../common/lists/search-text.js';
import { pagerOf, readChosenPage } from '../frame/lists/pager.js';
import { column } from '../frame/lists/table-column.js';
import { tenantHead, tenantNavigation } from './tenant-navigation.js';

const COLUMNS = [column('Name and e-mail address'), column('State'), column('Admin since'), column('Actions')];

/** The admins of a tenant. */
@Controller('console/tenants/:tenant_id/admins')
export class TenantAdminPagesController {
  constructor(
    private readonly admins: TenantAdminsService,
    private readonly reader: TenantAdminsReader,
    private readonly tenants: TenantReader,
    private readonly pages: ConsolePages,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ConsolePage('tenant_admin')
  list(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.show(consoleRequest, request, response, id, { email: '', errors: [] });
  }

  @Post()
  @ConsolePage('tenant_admin', { recentSignIn: 'always' })
  async add(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @FormFields() fields: Fields,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const email = fields['email'] ?? '';
    const again = (errors: readonly FormError[]) => this.show(consoleRequest, request, response, id, { email, errors });
    const read = readForm(TenantAdminAssign, { email: email || undefined });
    if ('errors' in read) return again(read.errors);
    try {
      const named = await this.admins.add(consoleRequest.ctx, id, read.input);
      const words = 'member' in named ? `${email} is now an admin.` : `An invite was sent to ${email}.`;
      await this.pages.redirectWithFlash(consoleRequest, response, `/console/tenants/${id}/admins`, words);
    } catch (error) {
      await again(formErrors(error, { forbidden_transition: 'email' }));
    }
  }

  /** All admins, or the hits of the search, which are not counted. */
  private async find(
    { ctx }: ConsoleRequest,
    id: string,
    { search, ...page }: { search: string; page: number; limit: number },
  ): Promise<{ members: AppMember[]; total: number | null; hasMore?: boolean }> {
    if (search === '') return this.reader.list(ctx, id, page);
    const found = await this.reader.search(ctx, id, { search, ...page });
    return { ...found, total: null };
  }

  private async show(
    consoleRequest: ConsoleRequest,
    request: Request,
    response: Response,
    id: string,
    { email, errors }: { email: string; errors: readonly FormError[] },
  ): Promise<void> {
    const full = await this.tenants.get(consoleRequest.ctx, id);
    const page = readChosenPage(request.query);
    const search = searchText(request.query['q']);
    const { members, total, hasMore } = await this.find(consoleRequest, id, { search, ...page });
    const { area, tenantId, crumbs, tabs } = tenantNavigation(consoleRequest, full, 'Admins');
    await this.pages.show(consoleRequest, response, {
      view: 'tenants/admins',
      title: 'Admins',
      area,
      tenantId,
      crumbs,
      status: errors.length > 0 ? 422 : 200,
      model: {
        errors,
        email,
        tabs,
        tenant: tenantHead(full, consoleRequest),
        columns: COLUMNS,
        members: members.map((member) => ({
          name: member.displayName,
          email: member.email,
          state: member.status,
          tone: member.status === 'active' ? 'plain' : 'off',
          since: timeInWords(member.createdAt, this.clock.now()),
          href: `/console/users/${member.userId}`,
          // Admins cannot remove themselves.
          removeUrl:
            member.userId === consoleRequest.actor.userId
              ? null
              : `/console/tenants/${id}/admins/${member.userId}/remove`,
        })),
        q: search,
        total,
        pager: pagerOf(request, { ...page, total, count: members.length, hasMore }),
      },
    });
  }
}
