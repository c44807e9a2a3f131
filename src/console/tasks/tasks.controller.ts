import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { PlanNotFound, TaskNotFound } from '../../operations/tasks/task.errors.js';
import { TasksService } from '../../operations/tasks/tasks.service.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { pagerOf, readChosenPage } from '../frame/lists/pager.js';
import { column } from '../frame/lists/table-column.js';
import { TaskAccess } from './task-access.js';
import { TaskPages } from './task-pages.js';
import { taskState, taskWords } from './task-words.js';

const COLUMNS = [column('Task'), column('State'), column('Progress', { className: 'number' }), column('Created')];

/** Tasks that were started in the console: plan, progress and result. */
@Controller('console/tasks')
export class TasksController {
  constructor(
    private readonly tasks: TasksService,
    private readonly access: TaskAccess,
    private readonly views: TaskPages,
    private readonly pages: ConsolePages,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async list(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const page = readChosenPage(request.query);
    const [tasks, total] = await this.access.list(consoleRequest, page.limit, page.page);
    const now = this.clock.now();
    await this.pages.show(consoleRequest, response, {
      view: 'tasks/list',
      title: 'Tasks',
      area: 'tasks',
      model: {
        columns: COLUMNS,
        tasks: tasks.map((task) => ({
          title: taskWords(task).title,
          href: `/console/tasks/${task.id}`,
          state: taskState(task),
          done: task.total > 0 ? `${task.done.toLocaleString('en')} of ${task.total.toLocaleString('en')}` : '–',
          made: timeInWords(task.createdAt, now),
        })),
        pager: pagerOf(request, { ...page, total, count: tasks.length }),
      },
    });
  }

  /** The page reloads itself while the task runs, and shows its progress; after the end, it loads completely. */
  @Get(':task_id')
  @ConsolePage('app_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('task_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const task = await this.access.get(consoleRequest, id);
    if (request.get('hx-request') === 'true' && task.finishedAt) response.set('HX-Refresh', 'true');
    await this.views.show(consoleRequest, response, task);
  }

  @Post(':task_id/start')
  @ConsolePage('app_admin')
  @HttpCode(303)
  async start(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('task_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const { task, isBegun } = await this.begin(consoleRequest, id).catch(planNotFound);
    const path = isBegun ? `/console/tasks/${task.id}` : taskWords(task).cancelUrl;
    const words = isBegun ? null : 'The plan has expired. Nothing was done. Start again.';
    await this.pages.redirectWithFlash(consoleRequest, response, path, words, 'warning');
  }

  private async begin(consoleRequest: ConsoleRequest, id: string): Promise<{ task: OperatorTask; isBegun: boolean }> {
    const task = await this.access.getConfirmed(consoleRequest, id);
    // After a second click, the task has already started.
    const isBegun = (await this.tasks.start(task)) || (await this.tasks.get(task.id)).status !== 'planned';
    return { task, isBegun };
  }
}

function planNotFound(error: unknown): never {
  throw error instanceof TaskNotFound ? new PlanNotFound() : error;
}
