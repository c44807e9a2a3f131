import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { TaskSecrets } from '../../operations/tasks/task-secrets.service.js';
import { PREVIEW_TASK } from '../../previews/changes/preview-tasks.service.js';
import { MEMBER_TASK } from '../../operators/tasks/membership-actions.runner.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { column } from '../frame/lists/table-column.js';
import { unmailedWords } from '../memberships/membership-words.js';
import { ChangeReview } from '../previews/change-review.js';
import { TaskFacts } from './task-facts.js';
import { TaskUsers } from './task-users.js';
import { isAsStarted, TASKS } from '../frame/requests/task-starter.js';
import { progressWords, taskWords } from './task-words.js';

/** Number of users that a plan lists and of failures that a result lists; the page counts the others. */
const NAMED = 20;
const FAILURES = 100;
const REFRESH_SECONDS = 5;
/** How long the secrets of an import are kept after its end. */
const SECRETS_KEPT_MS = 24 * 3_600_000;
const FAILURE_COLUMNS = [column('User'), column('Reason')];

/** The page of a task: planned, running or ended. */
@Injectable()
export class TaskPages {
  constructor(
    private readonly secrets: TaskSecrets,
    private readonly users: TaskUsers,
    private readonly facts: TaskFacts,
    private readonly review: ChangeReview,
    private readonly pages: ConsolePages,
  ) {}

  async show(consoleRequest: ConsoleRequest, response: Response, task: OperatorTask): Promise<void> {
    if (task.status === 'planned') return this.plan(consoleRequest, response, task);
    if (task.status === 'queued' || task.status === 'running') return this.progress(consoleRequest, response, task);
    if (task.kind === PREVIEW_TASK && task.status === 'done')
      return this.review.showResult(consoleRequest, response, task);
    return this.end(consoleRequest, response, task);
  }

  private async plan(consoleRequest: ConsoleRequest, response: Response, task: OperatorTask): Promise<void> {
    const words = taskWords(task);
    const users = await this.users.first(consoleRequest, task, NAMED);
    // A platform admin can also see plans that they cannot start.
    const facts = users.length > 0 ? await this.users.foresee(consoleRequest, task) : [];
    await this.send(consoleRequest, response, task, 'plan', {
      heading: words.title,
      lead: words.lead,
      button: words.button,
      isDanger: words.isDanger,
      cancelUrl: words.cancelUrl,
      users,
      facts,
      more: users.length > 0 ? Math.max(0, task.total - NAMED) : 0,
      startUrl: isAsStarted(consoleRequest, task) ? `/console/tasks/${task.id}/start` : null,
      isOwn: task.startedBy === consoleRequest.actor.userId,
    });
  }

  private async progress(consoleRequest: ConsoleRequest, response: Response, task: OperatorTask): Promise<void> {
    const model = { heading: taskWords(task).title, ...(await this.facts.of(task)), ...this.progressModel(task) };
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
    const failures = await this.users.listFailed(task, FAILURES);
    const users = new Map(
      (
        await this.users.named(
          consoleRequest,
          task,
          failures.map((each) => each.userId),
        )
      ).map((user) => [user.userId, user]),
    );
    await this.send(consoleRequest, response, task, 'end', {
      heading: title,
      ...(await this.facts.of(task)),
      back,
      isDone: status === 'done',
      doneWords,
      problemLines: problem?.split('\n') ?? [],
      doneBefore: failedWords,
      secretsUrl: await this.secretsUrl(consoleRequest, task),
      secretsUntil: task.finishedAt && new Date(task.finishedAt.getTime() + SECRETS_KEPT_MS).toUTCString(),
      gone: status === 'done' && task.kind === MEMBER_TASK ? Math.max(0, total - done - failed) : 0,
      notes: unmailedWords(await this.users.countUnmailed(task)),
      failed,
      columns: FAILURE_COLUMNS,
      failures: failures.map(({ userId, problem: why }) => ({ userId, why, user: users.get(userId) ?? null })),
      more: Math.max(0, failed - failures.length),
    });
  }

  /** Page with the secrets, which are shown once, and only to the operator who started the task. */
  private async secretsUrl(consoleRequest: ConsoleRequest, task: OperatorTask): Promise<string | null> {
    const may = isAsStarted(consoleRequest, task) && consoleRequest.actor.authority.platform;
    return may && (await this.secrets.exist(task.id)) ? `/console/tasks/${task.id}/secrets` : null;
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
