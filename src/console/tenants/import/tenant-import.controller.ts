import { Controller, Get, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { FormError } from '../../../common/pages/form-error.js';
import { TasksService } from '../../../operations/tasks/tasks.service.js';
import { ImportPlansService } from '../../../transfer/import/plan/import-plans.service.js';
import { IMPORT_TASK, type ImportTaskDetails } from '../../../operators/tasks/tenant-import.runner.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { starterOf } from '../../frame/requests/task-starter.js';
import { documentErrors } from './document-faults.js';
import { planGroups } from './import-plan.js';
import { DocumentUpload } from './document-upload.interceptor.js';

const CRUMBS = [{ label: 'Tenants', href: '/console/tenants' }];

type UploadRequest = Request & { file?: { buffer: Buffer } };

/** Imports a tenant from a document: first shows the plan and stores the document, then a task does the import. */
@Controller('console/tenants/import')
export class TenantImportController {
  constructor(
    private readonly plans: ImportPlansService,
    private readonly tasks: TasksService,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  ask(@CurrentConsoleRequest() consoleRequest: ConsoleRequest, @Res() response: Response): Promise<void> {
    return this.form(consoleRequest, response, []);
  }

  @Post()
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  @UseInterceptors(DocumentUpload)
  async submit(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @FormFields() fields: Fields,
    @Req() request: UploadRequest,
    @Res() response: Response,
  ): Promise<void> {
    const uploaded = request.file?.buffer.toString('utf8') ?? '';
    const pasted = fields['document'] ?? '';
    const text = uploaded || pasted;
    if (!text)
      return this.form(consoleRequest, response, [{ field: 'file', message: 'Choose a file, or paste a document.' }]);
    try {
      const document: unknown = JSON.parse(text);
      await this.plan(consoleRequest, response, text, document);
    } catch (error) {
      await this.form(consoleRequest, response, documentErrors(error, uploaded ? 'file' : 'document'), pasted);
    }
  }

  private async plan(
    consoleRequest: ConsoleRequest,
    response: Response,
    text: string,
    document: unknown,
  ): Promise<void> {
    const plan = await this.plans.planTenant(consoleRequest.ctx, document);
    const { create, update, unchanged } = plan;
    const [tenant] = create.tenants;
    const name = tenant?.name ?? '';
    const accounts = create.users.length + update.users.length + unchanged.users.length;
    const id = await this.tasks.create(starterOf(consoleRequest), {
      kind: IMPORT_TASK,
      tenantId: null,
      appId: null,
      details: { name, apps: create.apps.length, accounts } satisfies ImportTaskDetails,
      document: text,
      isMeant: false,
    });
    await this.pages.show(consoleRequest, response, {
      view: 'tenants/import-plan',
      title: 'Import preview',
      area: 'tenants',
      crumbs: [...CRUMBS, { label: 'Import', href: '/console/tenants/import' }],
      model: {
        startUrl: `/console/tasks/${id}/start`,
        name,
        slug: tenant?.slug ? `the slug ${tenant.slug}` : 'a new slug',
        groups: planGroups(plan),
      },
    });
  }

  /** @param pasted the document that was sent as text. A browser sends the file again only if it is chosen again. */
  private form(
    consoleRequest: ConsoleRequest,
    response: Response,
    errors: readonly FormError[],
    pasted = '',
  ): Promise<void> {
    return this.pages.show(consoleRequest, response, {
      view: 'tenants/import',
      title: 'Import a tenant',
      area: 'tenants',
      crumbs: CRUMBS,
      status: errors.length > 0 ? 422 : 200,
      model: { errors, document: pasted },
    });
  }
}
