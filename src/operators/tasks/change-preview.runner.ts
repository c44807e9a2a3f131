import { Injectable } from '@nestjs/common';
import { visibilityOf } from '../../auth/entry/visibility.js';
import { canAdministerPlatform } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import { Refusal } from '../../common/refusal.js';
import { ResultAlreadyRecorded } from '../../operations/tasks/task.errors.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { TaskRunner } from '../../operations/tasks/task-runner.js';
import { TasksService } from '../../operations/tasks/tasks.service.js';
import { ChangePreviews, type ViewersVisibility } from '../../previews/changes/change-previews.service.js';
import { outcomeOf, PREVIEW_TASK, type PreviewTaskDetails } from '../../previews/changes/preview-tasks.service.js';
import { visibleToAllMakers } from '../../previews/proposals/proposal.js';
import { LOST, TaskOperator } from './task-operator.js';

/** Number of memberships between two updates of the progress. */
const NOTED = 10_000;

/**
 * Previews a change for more members than a request can evaluate. It writes only its result, reads in batches, and
 * holds no connection between them; after a crash it starts over.
 */
@Injectable()
export class ChangePreviewRunner extends TaskRunner {
  override readonly kind = PREVIEW_TASK;

  constructor(
    private readonly tasks: TasksService,
    private readonly operator: TaskOperator,
    private readonly previews: ChangePreviews,
  ) {
    super();
  }

  override async run(task: OperatorTask): Promise<'ended'> {
    const problem = await this.judge(task);
    if (problem !== null) await this.tasks.fail(task.id, problem);
    return 'ended';
  }

  /** @returns why it failed; null if it is done */
  private async judge(task: OperatorTask): Promise<string | null> {
    const { subject, knowsAll } = task.details as unknown as PreviewTaskDetails;
    const ctx = await this.operator.identify(task);
    if (!ctx) return LOST;
    // The result must not contain more than the starter could know when they started it.
    const knowsLess = !knowsAll && canAdministerPlatform(ctx.actor);
    const known: ViewersVisibility = knowsLess ? visibleToAllMakers : () => visibilityOf(ctx.actor);
    let noted = 0;
    try {
      const preview = await this.previews.previewAll(ctx, subject, known, async (done, total) => {
        if (noted > 0 && done < noted + NOTED) return;
        noted = done;
        await this.tasks.note(task.id, done, total);
      });
      await this.tasks.note(task.id, preview.members, preview.members);
      // The preview may have taken a minute.
      if (!(await this.operator.identify(task))) return LOST;
      await this.tasks.finish(task.id, { outcome: { ...outcomeOf(preview) }, secrets: null });
      return null;
    } catch (error) {
      if (error instanceof ResultAlreadyRecorded) return null;
      if (error instanceof InsufficientPermissions) return LOST;
      if (error instanceof Refusal && error.kind !== 'unavailable') return `${error.message}.`;
      throw error;
    }
  }
}
