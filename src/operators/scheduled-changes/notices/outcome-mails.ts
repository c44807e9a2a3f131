import { Injectable } from '@nestjs/common';
import { AppsService } from '../../../apps/directory/apps.service.js';
import type { Prediction } from '../../../apps/comparisons/change-comparison.entity.js';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { EFFECTS } from '../../../auth/entry/effect.rules.js';
import { type Message, message } from '../../../common/i18n/message.js';
import type { Mail } from '../../../mail/content/mail.js';
import { withoutLinks } from '../../../mail/content/without-links.js';
import type { ChangedSetting, FailureReason, ScheduledChange } from '../planning/scheduled-change.entity.js';
import { whenOf } from './scheduled-mails.js';

const WHY: Readonly<Record<FailureReason, Message>> = {
  late: message('mail.scheduled_change_failed.late'),
  authority: message('mail.scheduled_change_failed.authority'),
  unconfirmed: message('mail.scheduled_change_failed.unconfirmed'),
  refused: message('mail.scheduled_change_failed.refused'),
  lock_out: message('mail.scheduled_change_failed.lock_out'),
  lock_out_of_all: message('mail.scheduled_change_failed.lock_out_of_all'),
  changed_meanwhile: message('mail.scheduled_change_failed.changed_meanwhile'),
};

const COUNTED = {
  shut_out: (numbers: Numbers) => message('mail.scheduled_change_made.shut_out', numbers),
  verify_email: (numbers: Numbers) => message('mail.scheduled_change_made.verify_email', numbers),
  set_up_second_factor: (numbers: Numbers) => message('mail.scheduled_change_made.set_up_second_factor', numbers),
  second_factor: (numbers: Numbers) => message('mail.scheduled_change_made.second_factor', numbers),
  other_method: (numbers: Numbers) => message('mail.scheduled_change_made.other_method', numbers),
  role_withdrawn: (numbers: Numbers) => message('mail.scheduled_change_made.role_withdrawn', numbers),
  let_in: (numbers: Numbers) => message('mail.scheduled_change_made.let_in', numbers),
};

interface Numbers extends Record<string, number> {
  readonly then: number;
  readonly now: number;
}

const VALUE_LENGTH = 120;

type Outcome = 'scheduled-change-made' | 'scheduled-change-failed';
export type OutcomeMail = { [T in Outcome]: Pick<Mail<T>, 'template' | 'model' | 'holdsFor'> }[Outcome];

/** The mail about the result of a change. */
@Injectable()
export class OutcomeMails {
  constructor(
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
  ) {}

  /** Null: it is still planned, or was cancelled. */
  async write(change: ScheduledChange): Promise<OutcomeMail | null> {
    const about = { place: await this.targetName(change), when: whenOf(change) };
    const { state, predictionThen, predictionNow, result } = change;
    if (state === 'executed') {
      const numbers = countedOf(predictionThen ?? {}, predictionNow ?? {});
      return { template: 'scheduled-change-made', holdsFor: null, model: { ...about, numbers } };
    }
    if (state !== 'failed' || !result?.reason) return null;
    const failed = { why: WHY[result.reason], changed: (result.changed ?? []).map(inWords) };
    return { template: 'scheduled-change-failed', holdsFor: null, model: { ...about, ...failed } };
  }

  private async targetName({ tenantId, appId }: ScheduledChange): Promise<string> {
    const client = await this.directory.findOfAnyOrigin(appId ?? (await this.apps.getConsole(tenantId)).id);
    return withoutLinks((appId ? client?.app.name : client?.tenant.name) ?? '');
  }
}

/** Effects that were predicted when it was planned or now, the most serious first. */
function countedOf(then: Prediction, now: Prediction): Message[] {
  return EFFECTS.filter((effect) => then[effect] || now[effect]).map((effect) =>
    COUNTED[effect]({ then: then[effect] ?? 0, now: now[effect] ?? 0 }),
  );
}

function inWords({ setting, then, now }: ChangedSetting): Message {
  const name = setting.replace('config.', '');
  return message('mail.scheduled_change_failed.setting', { setting: name, then: valueOf(then), now: valueOf(now) });
}

function valueOf(value: unknown): string {
  return withoutLinks(JSON.stringify(value).slice(0, VALUE_LENGTH));
}
