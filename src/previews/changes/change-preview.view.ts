import { ApiProperty } from '@nestjs/swagger';
import type { Affected } from '../effects/judged-members.js';
import type { ChangePreview } from './change-previews.service.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { EFFECTS } from '../../auth/entry/effect.rules.js';
import { PAST_DAYS } from '../effects/past-sign-ins.js';
import type { EffectCount } from '../effects/effect-counter.js';

class AffectedUserView {
  @ApiProperty({ format: 'uuid' }) user_id: string;
  @ApiProperty() email: string;
  @ApiProperty() display_name: string;
  @ApiProperty({ format: 'uuid', description: 'Id of the app that they would sign in to' }) app_id: string;
  @ApiProperty({ description: 'Name of the app' }) app: string;
  @ApiProperty({
    description: 'The rule of sign-in that decides; the names are those of the access check',
    example: 'email_proven',
  })
  rule: string;
  @ApiProperty({ type: String, nullable: true, description: 'How they sign in now, as far as it is known' })
  method_before: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'How they would sign in. null: they could not' })
  method_after: string | null;
}

export class EffectView {
  @ApiProperty({
    enum: EFFECTS,
    description:
      '`shut_out`: can no longer sign in. `verify_email`: must verify the e-mail address first. `set_up_second_factor`: must ' +
      'set up a second factor. `second_factor`: is asked for the existing second factor. `other_method`: must sign in with ' +
      'another method. `role_withdrawn`: keeps a role that the app no longer offers. `let_in`: can sign in and could not ' +
      'before.',
  })
  effect: string;
  @ApiProperty() count: number;
  @ApiProperty({ type: [AffectedUserView], description: 'The first 50, oldest account first' })
  users: AffectedUserView[];
}

class PastRuleView {
  @ApiProperty({ example: 'method_allowed' }) rule: string;
  @ApiProperty() count: number;
}

class PastView {
  @ApiProperty({ example: PAST_DAYS }) days: number;
  @ApiProperty({ description: 'Sign-ins of the current members in these days' }) sign_ins: number;
  @ApiProperty({
    description:
      'How many of them would have gone differently, with the method that was used then and everything else about the user as it is today',
  })
  would_differ: number;
  @ApiProperty({ type: [PastRuleView], description: 'Grouped by the rule that decides, most frequent first' })
  rules: PastRuleView[];
}

export class ChangePreviewView {
  @ApiProperty({ description: 'Number of memberships that were judged' }) members: number;
  @ApiProperty({ description: 'You could no longer sign in to one of the apps' }) locks_you_out: boolean;
  @ApiProperty({ description: 'No administrator of the tenant could open the console any more' })
  locks_admins_out: boolean;
  @ApiProperty({
    description: 'Users could no longer sign in through the API (POST /auth/login), because they are asked for consent',
  })
  ends_direct_sign_in: boolean;
  @ApiProperty({ type: [EffectView], description: 'Only effects that occur, most serious first' })
  effects: EffectView[];
  @ApiProperty({ type: PastView, description: 'The same change, judged for the sign-ins of the past' }) past: PastView;
}

export class PreviewTaskCreatedView {
  @ApiProperty({ format: 'uuid' }) task_id: string;
}

export class PreviewTaskView {
  @ApiProperty({ format: 'uuid' }) task_id: string;
  @ApiProperty({ enum: ['queued', 'running', 'done', 'failed'] }) status: string;
  @ApiProperty({ description: 'Number of memberships that were judged' }) done: number;
  @ApiProperty({ description: 'Number of memberships to judge; 0 until the task runs' }) total: number;
  @ApiProperty({ type: String, nullable: true, description: 'Reason, if the task failed' }) problem: string | null;
  @ApiProperty({ type: () => ChangePreviewView, nullable: true, description: 'Result, once the task is done' })
  result: ChangePreviewView | null;
}

export function previewTaskView(task: OperatorTask, preview: ChangePreview | null): PreviewTaskView {
  const { id, status, done, total, problem } = task;
  return { task_id: id, status, done, total, problem, result: preview && changePreviewView(preview) };
}

export function changePreviewView(preview: ChangePreview): ChangePreviewView {
  return {
    members: preview.members,
    locks_you_out: preview.locksYouOut,
    locks_admins_out: preview.locksAdminsOut,
    ends_direct_sign_in: preview.endsDirectSignIn,
    effects: effectViews(preview.effects),
    past: {
      days: PAST_DAYS,
      sign_ins: preview.past.signIns,
      would_differ: preview.past.rules.reduce((sum, { count }) => sum + count, 0),
      rules: [...preview.past.rules],
    },
  };
}

export function effectViews(effects: readonly EffectCount[]): EffectView[] {
  return effects.map(({ effect, count, users }) => ({ effect, count, users: users.map(userView) }));
}

function userView({
  userId,
  email,
  displayName,
  appId,
  appName,
  rule,
  methodBefore,
  methodAfter,
}: Affected): AffectedUserView {
  return {
    user_id: userId,
    email,
    display_name: displayName,
    app_id: appId,
    app: appName,
    rule,
    method_before: methodBefore,
    method_after: methodAfter,
  };
}
