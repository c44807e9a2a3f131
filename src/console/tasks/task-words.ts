import type { OperatorTask, TaskStatus } from '../../operations/tasks/operator-task.entity.js';
import { grouped, quantity } from '../../common/pages/quantity.js';
import { MEMBERSHIP_ACTIONS } from '../../enrollment/enrollments/membership-actions.js';
import {
  IMPORT_TASK,
  type ImportTaskDetails,
  type ImportTaskOutcome,
} from '../../operators/tasks/tenant-import.runner.js';
import { MEMBER_TASK, type MemberTaskDetails } from '../../operators/tasks/membership-actions.runner.js';
import { PREVIEW_TASK, type PreviewTaskDetails } from '../../previews/changes/preview-tasks.service.js';
import { MEMBERSHIP_WORDS } from '../memberships/membership-words.js';

/** Texts for a kind of task. */
export interface TaskWords {
  readonly title: string;
  /** What the task does, before it is started. */
  readonly lead: string;
  readonly button: string;
  readonly isDanger: boolean;
  readonly cancelUrl: string;
  /** What its numbers count. */
  readonly unit: readonly [one: string, many: string];
  /** Message after success. */
  readonly done: string;
  /** Message after a failure while it was running. */
  readonly failed: string | null;
  readonly back: { readonly label: string; readonly href: string };
}

export function taskWords(task: OperatorTask): TaskWords {
  if (task.kind === MEMBER_TASK) return memberWords(task);
  if (task.kind === IMPORT_TASK) return importWords(task);
  if (task.kind === PREVIEW_TASK) return previewWords(task);
  throw new Error(`No words for ${task.kind}`);
}

const SUBJECTS = {
  app: 'Preview of a change of an app',
  tenant: 'Preview of a change of a tenant',
  provider: 'Preview without an identity provider',
} as const;

/** A preview starts at once, and its result has a separate page. */
function previewWords({ details }: OperatorTask): TaskWords {
  const { subject, form } = details as unknown as PreviewTaskDetails;
  const back = { label: 'Back', href: form?.back ?? '/console/tasks' };
  return {
    title: SUBJECTS[subject.of],
    lead: '',
    button: '',
    isDanger: false,
    cancelUrl: back.href,
    unit: ['membership', 'memberships'],
    done: '',
    failed: 'Nothing was changed. Send the form again.',
    back,
  };
}

function importWords({ details, outcome }: OperatorTask): TaskWords {
  const { name, apps, accounts } = details as unknown as ImportTaskDetails;
  const { tenant_id, created, enrolled, left_out, passkeys } = (outcome ?? NOTHING) as ImportTaskOutcome;
  return {
    title: `Import the tenant ${name}`,
    lead: `It has ${quantity(apps, 'app', 'apps')} and ${quantity(accounts, 'account', 'accounts')}. If any part fails, nothing is imported.`,
    button: 'Import tenant',
    isDanger: false,
    cancelUrl: '/console/tenants/import',
    unit: ['account and membership', 'accounts and memberships'],
    done: `${name} was imported: ${quantity(created, 'user', 'users')} created, ${grouped(enrolled)} added, ${grouped(left_out)} skipped.${passkeyWords(passkeys)}`,
    failed: 'Nothing was imported.',
    back: outcome
      ? { label: 'View tenant', href: `/console/tenants/${tenant_id}` }
      : { label: 'Back to the import', href: '/console/tenants/import' },
  };
}

/** Passkeys of another host do not work here. The operator should know before the users do. */
function passkeyWords(passkeys: ImportTaskOutcome['passkeys']): string {
  if (!passkeys) return '';
  const { created, left_out } = passkeys;
  return ` ${quantity(created, 'passkey', 'passkeys')} imported, ${grouped(left_out)} skipped because they belong to another host name or another account.`;
}

const NOTHING: ImportTaskOutcome = { tenant_id: '', created: 0, enrolled: 0, left_out: 0 };

function memberWords(task: OperatorTask): TaskWords {
  const { appId, details, total, done } = task;
  const { act, app } = details as unknown as MemberTaskDetails;
  const { button, many } = MEMBERSHIP_WORDS[act];
  const href = `/console/apps/${appId}/members`;
  return {
    title: many.title(quantity(total, 'user', 'users'), app),
    lead: many.lead,
    button: `${button} ${quantity(total, 'user', 'users')}`,
    isDanger: MEMBERSHIP_ACTIONS[act].isDestructive,
    cancelUrl: href,
    unit: ['user', 'users'],
    done: `${quantity(done, 'user is', 'users are')} ${many.done}.`,
    failed: progressWords({ ...task, status: 'running' }, ['user', 'users']),
    back: { label: 'View members', href },
  };
}

const STATES: Readonly<Record<TaskStatus, { text: string; tone: string }>> = {
  planned: { text: 'Not started', tone: 'neutral' },
  queued: { text: 'Queued', tone: 'neutral' },
  running: { text: 'Running', tone: 'info' },
  done: { text: 'Done', tone: 'plain' },
  failed: { text: 'Failed', tone: 'bad' },
};

export function taskState({ status, done, failed }: OperatorTask): { text: string; tone: string } {
  if (status === 'done' && failed > 0) return done > 0 ? { text: 'Partially completed', tone: 'off' } : STATES.failed;
  return STATES[status];
}

/** `37 of 143 users done, 2 failed.` */
export function progressWords({ status, total, done, failed }: OperatorTask, unit: TaskWords['unit']): string {
  if (status === 'queued' || total === 0) return 'Starting…';
  const left = failed > 0 ? `, ${grouped(failed)} failed` : '';
  return `${grouped(done)} of ${quantity(total, ...unit)} done${left}.`;
}
