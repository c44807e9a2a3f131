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
  @ApiProperty({ format: 'uuid', description: 'The app that they would sign in to' }) app_id: string;
  @ApiProperty({ description: 'Its name' }) app: string;
  @ApiProperty({
    description: 'The rule of sign-in that decides, named as in the access check',
    example: 'email_proven',
  })
  rule: string;
  @ApiProperty({ type: String, nullable: true, description: 'How they sign in now, as far as is known' })
  method_before: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'How they would sign in. null: no way is left' })
  method_after: string | null;
}

export class EffectView {
  @ApiProperty({
    enum: EFFECTS,
    description:
      '`shut_out`: can no longer enter. `verify_email`: must verify the e-mail address first. `set_up_second_factor`: must set one up. ' +
      '`second_factor`: is asked for the one they have. `other_method`: must sign in by another method. ' +
      '`role_withdrawn`: keeps a role that the app no longer offers. `let_in`: can enter, and could not before.',
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
  @ApiProperty({ description: 'Sign-ins of today’s members in these days' }) sign_ins: number;
  @ApiProperty({
    description:
      'Of these, how many would have gone another way: with the methods that were used then, and everything else as it is known of the user today',
  })
  would_differ: number;
  @ApiProperty({ type: [PastRuleView], description: 'By the rule that decides, most frequent first' })
  rules: PastRuleView[];
}

export class ChangePreviewView {
  @ApiProperty({ description: 'Memberships that were judged' }) members: number;
  @ApiProperty({ description: 'You could no longer enter one of the apps' }) locks_you_out: boolean;
  @ApiProperty({ description: 'No administrator of the tenant could enter the console any more' })
  locks_admins_out: boolean;
  @ApiProperty({ description: 'Users could no longer sign in by JSON, because they are asked for their consent' })
  ends_direct_sign_in: boolean;
  @ApiProperty({ type: [EffectView], description: 'Only effects that occur, the most serious first' })
  effects: EffectView[];
  @ApiProperty({ type: PastView, description: 'The same change against the sign-ins of the past' }) past: PastView;
}

export class PreviewTaskCreatedView {
  @ApiProperty({ format: 'uuid' }) task_id: string;
}

export class PreviewTaskView {
  @ApiProperty({ format: 'uuid' }) task_id: string;
  @ApiProperty({ enum: ['queued', 'running', 'done', 'failed'] }) status: string;
  @ApiProperty({ description: 'Memberships that were judged' }) done: number;
  @ApiProperty({ description: 'Memberships that are to be judged; 0 until it runs' }) total: number;
  @ApiProperty({ type: String, nullable: true, description: 'Why it failed' }) problem: string | null;
  @ApiProperty({ type: () => ChangePreviewView, nullable: true, description: 'Once it is done' })
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
