import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { AppNotFound } from '../../../apps/app/apps.errors.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';
import { AppPages } from '../page/app-pages.js';

/** An app that the operator governs, in the form that sign-in uses. */
@Injectable()
export class PreviewedApps {
  constructor(
    private readonly pages: AppPages,
    private readonly directory: AppDirectory,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions */
  async get(consoleRequest: ConsoleRequest, id: string): Promise<RegisteredClient> {
    const app = await this.pages.governed(consoleRequest, id);
    const client = await this.directory.find(app.id);
    if (!client) throw new AppNotFound();
    return { ...client, app };
  }
}
