import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { TenantCreate } from '../../admin/tenants/tenant.dto.js';
import { TenantCreationService } from '../../admin/tenants/tenant-creation.service.js';
import { TenantReader } from '../../admin/tenants/tenant-reader.service.js';
import type { FormError } from '../../common/pages/form-error.js';
import { TENANT_SORT_COLUMNS } from '../../tenants/tenant-sort.js';
import { readSorting } from '../../common/lists/sorting.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../frame/requests/console-request.js';
import { formErrors, readForm } from '../frame/lists/form-input.js';
import { pagerOf, readChosenPage } from '../frame/lists/pager.js';
import { searchText } from '../../common/lists/search-text.js';
import { sortableColumn } from '../frame/lists/sortable-column.js';
import { column } from '../frame/lists/table-column.js';
import { createOf } from './tenant-form.js';

const FURTHER_COLUMNS = [
  column('Apps', { className: 'number' }),
  column('Users', { className: 'number' }),
  column('Tenant ID', { className: 'col-id' }),
];

/** Lists all tenants and creates new ones, for platform admins. */
@Controller('console/tenants')
export class TenantsListController {
  constructor(
    private readonly tenants: TenantReader,
    private readonly creation: TenantCreationService,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('platform_admin')
  async list(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { q, sort } = query;
    const search = searchText(q);
    const page = readChosenPage(query);
    const sorting = readSorting(sort, TENANT_SORT_COLUMNS);
    const { tenants, total } = await this.tenants.list(consoleRequest.ctx, { ...page, search, sorting });
    await this.pages.show(consoleRequest, response, {
      view: 'tenants/list',
      title: 'Tenants',
      area: 'tenants',
      model: {
        q: search,
        columns: [
          sortableColumn(request, sorting, 'name', 'Name and slug'),
          sortableColumn(request, sorting, 'state', 'State'),
          ...FURTHER_COLUMNS,
        ],
        total,
        tenants: tenants.map(({ tenant: { id, name, slug, isActive }, appCount, userCount }) => ({
          id,
          name,
          slug,
          isActive,
          appCount,
          userCount,
          href: `/console/tenants/${id}`,
        })),
        pager: pagerOf(request, { ...page, total, count: tenants.length }),
      },
    });
  }

  @Get('new')
  @ConsolePage('platform_admin')
  ask(@CurrentConsoleRequest() consoleRequest: ConsoleRequest, @Res() response: Response): Promise<void> {
    return this.form(consoleRequest, response, {}, []);
  }

  @Post()
  @ConsolePage('platform_admin', { recentSignIn: 'for_authority', back: 'tenants/new' })
  async create(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const read = readForm(TenantCreate, createOf(fields));
    if ('errors' in read) return this.form(consoleRequest, response, fields, read.errors);
    try {
      const { tenant } = await this.creation.create(consoleRequest.ctx, read.input);
      await this.pages.redirectWithFlash(
        consoleRequest,
        response,
        `/console/tenants/${tenant.id}`,
        `The tenant ${tenant.name} was created.`,
      );
    } catch (error) {
      await this.form(consoleRequest, response, fields, formErrors(error, { slug_already_exists: 'slug' }));
    }
  }

  private form(
    consoleRequest: ConsoleRequest,
    response: Response,
    fields: Fields,
    errors: readonly FormError[],
  ): Promise<void> {
    return this.pages.show(consoleRequest, response, {
      view: 'tenants/new',
      title: 'New tenant',
      area: 'tenants',
      crumbs: [{ label: 'Tenants', href: '/console/tenants' }],
      status: errors.length > 0 ? 422 : 200,
      model: {
        errors,
        name: fields['name'] ?? '',
        slug: fields['slug'] ?? '',
        admin_email: fields['admin_email'] ?? '',
        support_email: fields['support_email'] ?? '',
      },
    });
  }
}
