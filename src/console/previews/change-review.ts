import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { StreamedFile } from '../../common/http/streamed-file.js';
import type { FormError } from '../../common/pages/form-error.js';
import type { TenantUpdate } from '../../admin/tenant.dto.js';
import type { AppUpdate } from '../../apps/app.dto.js';
import type { Prediction } from '../../apps/app-update.service.js';
import { type ChangePreview, ChangePreviews } from '../../previews/change-previews.service.js';
import { ConsolePages } from '../frame/console-pages.js';
import type { ConsoleRequest, Fields } from '../frame/console-request.js';
import type { Area, Crumb } from '../frame/navigation.js';
import { column } from '../frame/table-column.js';
import { effectInWords } from './effect-words.js';

/** A form that is about to be saved. */
export interface ReviewedForm<Input> {
  /** Of the app or the tenant. */
  readonly id: string;
  /** What the form says. */
  readonly input: Input;
  readonly fields: Fields;
  readonly place: { readonly area: Area; readonly tenantId: string; readonly crumbs: readonly Crumb[] };
  /** Where the form is sent to save it. */
  readonly action: string;
  /** Where the same fields get the list of all affected users. */
  readonly fileAction: string;
  readonly back: string;
}

/** What the operator has seen, for the audit entry of the change. */
export interface Reviewed {
  /** Absent: no user is affected. */
  readonly prediction?: Prediction;
}

/** Fields of the review page itself. */
const OWN_FIELDS = ['form_token', 'reviewed', 'lock_me_out'];
const COLUMNS = [column('User'), column('Reason'), column('Sign-in method')];
const COLUMNS_WITH_APP = [COLUMNS[0]!, column('App'), ...COLUMNS.slice(1)];
const NOT_CONFIRMED: FormError = {
  field: 'lock_me_out',
  message: 'Confirm that you want to lock yourself out.',
};

/** Shows what a change does to users before it is saved. */
@Injectable()
export class ChangeReview {
  constructor(
    private readonly previews: ChangePreviews,
    private readonly pages: ConsolePages,
  ) {}

  /**
   * Sends the page if users are affected and the operator has not seen this list yet.
   * @returns null if the page was sent; else the change can be saved
   */
  async ofApp(
    consoleRequest: ConsoleRequest,
    response: Response,
    form: ReviewedForm<AppUpdate>,
  ): Promise<Reviewed | null> {
    const preview = await this.previews.ofApp(consoleRequest.ctx, form.id, form.input);
    return this.ask(consoleRequest, response, form, preview);
  }

  /** As {@link ofApp}. */
  async ofTenant(
    consoleRequest: ConsoleRequest,
    response: Response,
    form: ReviewedForm<TenantUpdate>,
  ): Promise<Reviewed | null> {
    const preview = await this.previews.ofTenant(consoleRequest.ctx, form.id, form.input);
    return this.ask(consoleRequest, response, form, preview);
  }

  /** Everyone affected. */
  fileOfApp({ ctx }: ConsoleRequest, id: string, input: AppUpdate): Promise<StreamedFile> {
    return this.previews.fileOfApp(ctx, id, input);
  }

  fileOfTenant({ ctx }: ConsoleRequest, id: string, input: TenantUpdate): Promise<StreamedFile> {
    return this.previews.fileOfTenant(ctx, id, input);
  }

  private async ask(
    consoleRequest: ConsoleRequest,
    response: Response,
    form: ReviewedForm<unknown>,
    preview: ChangePreview,
  ): Promise<Reviewed | null> {
    const { fields } = form;
    if (preview.effects.length === 0) return {};
    const reviewed = digestOf(fields, preview);
    const isSeen = fields['reviewed'] === reviewed;
    const isConfirmed = !preview.locksYouOut || fields['lock_me_out'] === 'on';
    const prediction = Object.fromEntries(preview.effects.map(({ effect, count }) => [effect, count]));
    if (isSeen && isConfirmed) return { prediction };
    await this.show(consoleRequest, response, form, { preview, reviewed, errors: isSeen ? [NOT_CONFIRMED] : [] });
    return null;
  }

  private show(
    consoleRequest: ConsoleRequest,
    response: Response,
    { place, fields, action, fileAction, back }: ReviewedForm<unknown>,
    { preview, reviewed, errors }: { preview: ChangePreview; reviewed: string; errors: readonly FormError[] },
  ): Promise<void> {
    const apps = new Set(preview.effects.flatMap(({ users }) => users.map(({ appId }) => appId)));
    const isOfManyApps = apps.size > 1;
    return this.pages.show(consoleRequest, response, {
      view: 'review',
      title: 'Review the effect on users',
      ...place,
      status: errors.length > 0 ? 422 : 200,
      model: {
        action,
        fileAction,
        back,
        errors,
        reviewed,
        hasChanged: fields['reviewed'] !== undefined && errors.length === 0,
        locksYouOut: preview.locksYouOut,
        isComplete: preview.isComplete,
        members: preview.members.toLocaleString('en'),
        columns: isOfManyApps ? COLUMNS_WITH_APP : COLUMNS,
        isOfManyApps,
        effects: preview.effects.map(effectInWords),
        hidden: Object.entries(fields)
          .filter(([name]) => !OWN_FIELDS.includes(name))
          .map(([name, value]) => ({ name, value })),
      },
    });
  }
}

/** Of what the operator has seen: other fields or other numbers are shown again. */
function digestOf(fields: Fields, { effects }: ChangePreview): string {
  const typed = Object.entries(fields).filter(([name]) => !OWN_FIELDS.includes(name));
  const counts = effects.map(({ effect, count }) => [effect, count]);
  return createHash('sha256')
    .update(JSON.stringify([typed.sort(([one], [other]) => (one < other ? -1 : 1)), counts]))
    .digest('base64url');
}
