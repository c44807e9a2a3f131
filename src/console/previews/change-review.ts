import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { StreamedFile } from '../../common/http/streams/streamed-file.js';
import type { FormError } from '../../common/pages/form-error.js';
import type { TenantUpdate } from '../../admin/tenants/tenant.dto.js';
import { ScheduledChanges } from '../../operators/scheduled-changes/planning/scheduled-changes.service.js';
import type { ChangeSubject } from '../../operators/scheduled-changes/planning/change-targets.js';
import type { AppUpdate } from '../../apps/settings/app.dto.js';
import type { Prediction } from '../../apps/comparisons/change-comparison.entity.js';
import { Clock } from '../../common/clock.js';
import { isUuid } from '../../common/validation/fields.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { TaskNotFound } from '../../operations/tasks/task.errors.js';
import { type ChangePreview, ChangePreviews } from '../../previews/changes/change-previews.service.js';
import { kept, type PreviewSubject } from '../../previews/proposals/preview-subject.js';
import { type PreviewTaskDetails, PreviewTasks } from '../../previews/changes/preview-tasks.service.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { formErrors } from '../frame/lists/form-input.js';
import type { ConsoleRequest, Fields } from '../frame/requests/console-request.js';
import type { Area, Crumb } from '../frame/pages/navigation.js';
import { column } from '../frame/lists/table-column.js';
import { isAsStarted, starterOf, TASKS } from '../frame/requests/task-starter.js';
import { effectInWords, pastInWords } from './effect-words.js';
import { lockOutInWords } from './lock-out-words.js';

/** A form before it is saved. */
export interface ReviewedForm<Input> {
  /** Id of the app or the tenant. */
  readonly id: string;
  /** The input in the form. */
  readonly input: Input;
  readonly fields: Fields;
  readonly navigation: { readonly area: Area; readonly tenantId: string | null; readonly crumbs: readonly Crumb[] };
  /** URL that saves the form. */
  readonly action: string;
  /** URL that returns the list of all affected users for the same fields. */
  readonly fileAction: string;
  readonly back: string;
  /** Label of the button that saves, if it is not a form of settings. */
  readonly button?: string;
  /** Whether the change can be scheduled. By default, forms of settings can. */
  readonly canWait?: boolean;
}

/** What the operator has seen, for the audit entry of the change. */
export interface ReviewedPrediction {
  /** Absent: no user is affected. */
  readonly prediction?: Prediction;
}

/** Field that requests the review page even if no user is affected, because the change can be scheduled there. */
const LATER = 'later';
/** Fields of the review page. */
const OWN_FIELDS = ['form_token', 'reviewed', 'lock_me_out', 'effective_at', 'schedule', LATER];
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/;
const COLUMNS = [column('User'), column('Reason'), column('Sign-in method')];
const COLUMNS_WITH_APP = [COLUMNS[0]!, column('App'), ...COLUMNS.slice(1)];

/** Time for which the result of a task counts as seen by the operator. */
const RESULT_COUNTS_MS = 60 * 60 * 1000;
const BY_TASK = 'task:';

/** Shows the effects of a change on users before it is saved. */
@Injectable()
export class ChangeReview {
  constructor(
    private readonly previews: ChangePreviews,
    private readonly tasks: PreviewTasks,
    private readonly changes: ScheduledChanges,
    private readonly pages: ConsolePages,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends the review page if users are affected and the operator has not seen this list yet, or the page of a task if
   * there are too many users to evaluate at once.
   * @returns null if a page was sent; otherwise the change can be saved
   */
  ofApp(
    consoleRequest: ConsoleRequest,
    response: Response,
    form: ReviewedForm<AppUpdate>,
  ): Promise<ReviewedPrediction | null> {
    return this.ask(consoleRequest, response, form, { of: 'app', id: form.id, input: form.input });
  }

  /** As {@link ofApp}. */
  ofTenant(
    consoleRequest: ConsoleRequest,
    response: Response,
    form: ReviewedForm<TenantUpdate>,
  ): Promise<ReviewedPrediction | null> {
    return this.ask(consoleRequest, response, form, { of: 'tenant', id: form.id, input: form.input });
  }

  /** All affected users as a file. */
  fileOfApp({ ctx }: ConsoleRequest, id: string, input: AppUpdate): Promise<StreamedFile> {
    return this.previews.file(ctx, { of: 'app', id, input });
  }

  fileOfTenant({ ctx }: ConsoleRequest, id: string, input: TenantUpdate): Promise<StreamedFile> {
    return this.previews.file(ctx, { of: 'tenant', id, input });
  }

  /** Shows the result of a task. The operator who started it can save the change there. */
  async showResult(consoleRequest: ConsoleRequest, response: Response, task: OperatorTask): Promise<void> {
    const { form } = task.details as unknown as PreviewTaskDetails;
    const preview = await this.tasks.resultOf(consoleRequest.ctx, task);
    if (!preview) throw new TaskNotFound();
    const navigation = { area: 'tasks' as const, tenantId: task.tenantId, crumbs: [TASKS] };
    const waiting = form && isAsStarted(consoleRequest, task) ? form : NO_FORM;
    const reviewed = `${BY_TASK}${task.id}`;
    await this.show(consoleRequest, response, { ...waiting, navigation }, { preview, reviewed, errors: [] });
  }

  private async ask(
    consoleRequest: ConsoleRequest,
    response: Response,
    form: ReviewedForm<unknown>,
    subject: ChangeSubject,
  ): Promise<ReviewedPrediction | null> {
    const { fields } = form;
    if (fields['schedule'] !== undefined && canWait(form))
      return this.schedule(consoleRequest, response, form, subject);
    const ofTask = await this.resultSeen(consoleRequest, fields, subject);
    const preview = ofTask ?? (await this.previews.preview(consoleRequest.ctx, subject));
    if (!preview) return this.begin(consoleRequest, response, form, subject);
    if (isHarmless(preview) && fields[LATER] === undefined) return noted(preview);
    const reviewed = ofTask ? fields['reviewed']! : digestOf(fields, preview);
    const isSeen = fields['reviewed'] === reviewed;
    const lockOut = lockOutInWords(preview);
    const isConfirmed = lockOut === null || fields['lock_me_out'] === 'on';
    if (isSeen && isConfirmed) return noted(preview);
    const errors = isSeen && lockOut ? [{ field: 'lock_me_out', message: lockOut.demand }] : [];
    await this.show(consoleRequest, response, form, { preview, reviewed, errors });
    return null;
  }

  /** @returns null: a page was sent, also if the change was not scheduled */
  private async schedule(
    consoleRequest: ConsoleRequest,
    response: Response,
    form: ReviewedForm<unknown>,
    subject: ChangeSubject,
  ): Promise<null> {
    const { fields } = form;
    const { ctx, session, actor } = consoleRequest;
    const proof = { userId: actor.userId, credentialsVersion: session.credentialsVersion };
    const plan = { subject, effectiveAt: readUtc(fields['effective_at']), mayLockOut: fields['lock_me_out'] === 'on' };
    try {
      await this.changes.planChanged({ ctx, credential: 'console', amr: session.amr, proof }, plan);
    } catch (error) {
      const errors = formErrors(error, { would_lock_you_out: 'lock_me_out' });
      const ofTask = await this.resultSeen(consoleRequest, fields, subject);
      const preview = ofTask ?? (await this.previews.preview(ctx, subject));
      if (!preview) return this.begin(consoleRequest, response, form, subject);
      await this.show(consoleRequest, response, form, { preview, reviewed: fields['reviewed'] ?? '', errors });
      return null;
    }
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      '/console/scheduled-changes',
      'The change is scheduled.',
    );
    return null;
  }

  /** A recent result of the operator's tasks for exactly this change. */
  private async resultSeen(
    consoleRequest: ConsoleRequest,
    fields: Fields,
    subject: PreviewSubject,
  ): Promise<ChangePreview | null> {
    const reviewed = fields['reviewed'] ?? '';
    const id = reviewed.startsWith(BY_TASK) ? reviewed.slice(BY_TASK.length) : null;
    if (!isUuid(id)) return null;
    const task = await this.tasks.find(consoleRequest.ctx, id);
    if (!task?.finishedAt || !isAsStarted(consoleRequest, task)) return null;
    const isRecent = this.clock.now().getTime() - task.finishedAt.getTime() <= RESULT_COUNTS_MS;
    const { subject: judged } = task.details as unknown as PreviewTaskDetails;
    const isSame = isDeepStrictEqual(JSON.parse(JSON.stringify(kept(subject))), judged);
    return isRecent && isSame ? this.tasks.resultOf(consoleRequest.ctx, task) : null;
  }

  private async begin(
    consoleRequest: ConsoleRequest,
    response: Response,
    reviewed: ReviewedForm<unknown>,
    subject: PreviewSubject,
  ): Promise<null> {
    const { fields, action, fileAction, back, button = SAVE } = reviewed;
    const typed = Object.fromEntries(typedOf(fields));
    const form = { fields: typed, action, fileAction, back, button, canWait: canWait(reviewed) };
    const id = await this.tasks.create(starterOf(consoleRequest), subject, form);
    await this.pages.redirectWithFlash(consoleRequest, response, `/console/tasks/${id}`, null);
    return null;
  }

  private show(
    consoleRequest: ConsoleRequest,
    response: Response,
    form: Omit<ReviewedForm<unknown>, 'id' | 'input'>,
    { preview, reviewed, errors }: { preview: ChangePreview; reviewed: string; errors: readonly FormError[] },
  ): Promise<void> {
    const { navigation, fields, action, fileAction, back, button = SAVE } = form;
    const apps = new Set(preview.effects.flatMap(({ users }) => users.map(({ appId }) => appId)));
    const isOfManyApps = apps.size > 1;
    return this.pages.show(consoleRequest, response, {
      view: 'review',
      title: 'Review the effect on users',
      ...navigation,
      status: errors.length > 0 ? 422 : 200,
      model: {
        action: action === '' ? null : action,
        fileAction,
        back,
        button,
        maySchedule: canWait(form) && !consoleRequest.impersonation,
        effectiveAt: fields['effective_at'] ?? '',
        isDanger: lockOutInWords(preview) !== null || button !== SAVE,
        errors,
        reviewed,
        hasChanged: fields['reviewed'] !== undefined && errors.length === 0,
        lockOut: lockOutInWords(preview),
        endsDirectSignIn: preview.endsDirectSignIn,
        isEmpty: isHarmless(preview),
        past: pastInWords(preview.past),
        columns: isOfManyApps ? COLUMNS_WITH_APP : COLUMNS,
        isOfManyApps,
        effects: preview.effects.map(effectInWords),
        hidden: typedOf(fields).map(([name, value]) => ({ name, value })),
      },
    });
  }
}

/**
 * Reads the value of a `datetime-local` field as UTC. Returns an invalid date for anything else, which is then refused.
 */
function readUtc(value: string | undefined): Date {
  return new Date(value && LOCAL_TIME.test(value) ? `${value}Z` : Number.NaN);
}

const SAVE = 'Save changes';
/** For a task that was started with the API, or by another operator. */
const NO_FORM = { fields: {}, action: '', fileAction: '', back: '/console/tasks' };

/** Forms with their own button may do more than save settings. */
function canWait({
  button = SAVE,
  canWait: said = button === SAVE,
}: Pick<ReviewedForm<unknown>, 'button' | 'canWait'>) {
  return said;
}

function noted({ prediction }: ChangePreview): ReviewedPrediction {
  return prediction && Object.keys(prediction).length > 0 ? { prediction } : {};
}

/** Locked-out administrators count even if the operator may not see any affected user. */
function isHarmless(preview: ChangePreview): boolean {
  return preview.effects.length === 0 && !preview.endsDirectSignIn && lockOutInWords(preview) === null;
}

/** The fields of the form, without those of the review page. */
function typedOf(fields: Fields): [string, string][] {
  return Object.entries(fields).filter(([name]) => !OWN_FIELDS.includes(name));
}

/** Digest of what the operator has seen: with other fields or other numbers, the review page is shown again. */
function digestOf(fields: Fields, { effects, endsDirectSignIn }: ChangePreview): string {
  const typed = typedOf(fields);
  const counts = effects.map(({ effect, count }) => [effect, count]);
  return createHash('sha256')
    .update(JSON.stringify([typed.sort(([one], [other]) => (one < other ? -1 : 1)), counts, endsDirectSignIn]))
    .digest('base64url');
}
