import { Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { TaskSecrets } from '../../operations/tasks/task-secrets.service.js';
import type { NewAppSecret } from '../../operators/tasks/tenant-import.runner.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { TASKS } from '../frame/requests/task-starter.js';
import { TaskAccess } from './task-access.js';
import { taskWords } from './task-words.js';

/** The client secrets that an import has created. */
@Controller('console/tasks/:task_id/secrets')
export class TaskSecretsController {
  constructor(
    private readonly secrets: TaskSecrets,
    private readonly access: TaskAccess,
    private readonly pages: ConsolePages,
  ) {}

  /**
   * Only this response shows the secrets. It requires a form of the console, so that a prefetch does not use them up.
   */
  @Post()
  @ConsolePage('platform_admin')
  @HttpCode(200)
  async reveal(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('task_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const task = await this.access.getConfirmed(consoleRequest, id);
    const secrets = await this.secrets.take(consoleRequest.ctx, task);
    const path = `/console/tasks/${task.id}`;
    if (secrets === null)
      return this.pages.redirectWithFlash(
        consoleRequest,
        response,
        path,
        'The secrets have already been revealed. You can regenerate them.',
        'warning',
      );
    await this.pages.show(consoleRequest, response, {
      view: 'tasks/secrets',
      title: 'New secrets',
      area: 'tasks',
      crumbs: [TASKS, { label: taskWords(task).title, href: path }],
      model: { apps: JSON.parse(secrets) as NewAppSecret[], back: taskWords(task).back },
    });
  }
}
