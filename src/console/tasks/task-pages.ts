import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { TasksService } from '../../operations/tasks/tasks.service.js';
import { UsersService } from '../../users/users.service.js';
import { MEMBER_TASK } from '../../operators/tasks/membership-actions.runner.js';
import { ConsolePages } from '../frame/console-pages.js';
import type { ConsoleRequest } from '../frame/console-request.js';
import { column } from '../frame/table-column.js';
import { TaskPeople } from './task-people.js';
import { isAsStarted } from './task-access.js';
import { progressWords, taskState, taskWords } from './task-words.js';

export const TASKS = { label: 'Tasks', href: '/console/tasks' };
/** People that a plan names, and failures that a result tells; the rest is counted. */
const NAMED = 20;
const FAILURES = 100;
const REFRESH_SECONDS = 5;
const FAILURE_COLUMNS = [column('Person'), column('Reason')];

/** A task as its page shows it: planned, under way, or ended. */
@Injectable()
export class TaskPages {
  constructor(
    private readonly tasks: TasksService,
    private readonly people: TaskPeople,
    private readonly users: UsersService,
    private readonly pages: ConsolePages,
    private readonly clock: Clock,
  ) {}

  async show(consoleRequest: ConsoleRequest, response: Response, task: OperatorTask): Promise<void> {
    if (task.status === 'planned') return this.plan(consoleRequest, response, task);
    if (task.status === 'queued' || task.status === 'running') return this.progress(consoleRequest, response, task);
    return this.end(consoleRequest, response, task);
  }

  private async plan(consoleRequest: ConsoleRequest, response: Response, task: OperatorTask): Promise<void> {
    const words = taskWords(task);
    const people = await this.people.first(consoleRequest, task, NAMED);
    await this.send(consoleRequest, response, task, 'plan', {
      heading: words.title,
      lead: words.lead,
      button: words.button,
      isDanger: words.isDanger,
      cancelUrl: words.cancelUrl,
      people,
      more: people.length > 0 ? Math.max(0, task.total - NAMED) : 0,
      startUrl: isAsStarted(consoleRequest, task) ? `/console/tasks/${task.id}/start` : null,
    });
  }

  private async progress(consoleRequest: ConsoleRequest, response: Response, task: OperatorTask): Promise<void> {
    const model = { heading: taskWords(task).title, ...(await this.facts(task)), ...this.progressModel(task) };
    await this.send(consoleRequest, response, task, 'progress', model, REFRESH_SECONDS);
  }

  private progressModel(task: OperatorTask) {
    const { id, status, total, done, failed } = task;
    const isCounted = status === 'running' && total > 0;
    return {
      url: `/console/tasks/${id}`,
      words: progressWords(task, taskWords(task).unit),
      bar: isCounted ? { value: done + failed, max: total } : null,
    };
  }

  private async end(consoleRequest: ConsoleRequest, response: Response, task: OperatorTask): Promise<void> {
    const { status, total, done, failed, problem } = task;
    const { title, done: doneWords, failed: failedWords, back } = taskWords(task);
    const failures = await this.people.listFailed(task, FAILURES);
    const people = new Map(
      (
        await this.people.named(
          consoleRequest,
          task,
          failures.map((each) => each.userId),
        )
      ).map((person) => [person.userId, person]),
    );
    await this.send(consoleRequest, response, task, 'end', {
      heading: title,
      ...(await this.facts(task)),
      back,
      isDone: status === 'done',
      doneWords,
      problemLines: problem?.split('\n') ?? [],
      doneBefore: failedWords,
      secretsUrl: await this.secretsUrl(consoleRequest, task),
      gone: status === 'done' && task.kind === MEMBER_TASK ? Math.max(0, total - done - failed) : 0,
      failed,
      columns: FAILURE_COLUMNS,
      failures: failures.map(({ userId, problem: why }) => ({ userId, why, person: people.get(userId) ?? null })),
      more: Math.max(0, failed - failures.length),
    });
  }

  /** Where they can be shown: once, and to the one who started it. */
  private async secretsUrl(consoleRequest: ConsoleRequest, task: OperatorTask): Promise<string | null> {
    const may = isAsStarted(consoleRequest, task) && consoleRequest.actor.authority.platform;
    return may && (await this.tasks.hasSecrets(task.id)) ? `/console/tasks/${task.id}/secrets` : null;
  }

  /** Who started it, as whom, when. */
  private async facts(task: OperatorTask) {
    const now = this.clock.now();
    const starter = await this.users.find(task.startedBy);
    return {
      state: taskState(task),
      by: starter?.email ?? '',
      actingAs: task.actingAs && `the ${task.actingAs.type} ${task.actingAs.name}`,
      begun: timeInWords(task.startedAt ?? task.createdAt, now),
      ended: task.finishedAt && timeInWords(task.finishedAt, now),
      auditUrl: auditUrl(task),
    };
  }

  private send(
    consoleRequest: ConsoleRequest,
    response: Response,
    task: OperatorTask,
    view: string,
    model: Record<string, unknown>,
    refreshSeconds?: number,
  ): Promise<void> {
    const { title } = taskWords(task);
    return this.pages.show(consoleRequest, response, {
      view: `tasks/${view}`,
      title,
      area: 'tasks',
      crumbs: [TASKS],
      model,
      ...(refreshSeconds ? { refreshSeconds } : {}),
    });
  }
}

/** What its starter has done in the meantime, in the app that it is about. */
function auditUrl({ startedBy, appId, createdAt, finishedAt }: OperatorTask): string {
  const filter = {
    person: startedBy,
    ...(appId ? { app_id: appId } : {}),
    after: createdAt.toISOString(),
    // The log ends before this moment.
    ...(finishedAt ? { before: new Date(finishedAt.getTime() + 1_000).toISOString() } : {}),
  };
  return `/console/audit?${new URLSearchParams(filter).toString()}`;
}
