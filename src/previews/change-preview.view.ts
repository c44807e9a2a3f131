import { ApiProperty } from '@nestjs/swagger';
import type { Affected } from './change-effects.js';
import type { ChangePreview } from './change-previews.service.js';
import { EFFECTS } from './effect.rules.js';

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

class EffectView {
  @ApiProperty({
    enum: EFFECTS,
    description:
      '`shut_out`: can no longer enter. `verify_email`: must verify the e-mail address first. `set_up_second_factor`: must set one up. ' +
      '`second_factor`: is asked for the one they have. `other_method`: must sign in by another method. `let_in`: can enter, and could not before.',
  })
  effect: string;
  @ApiProperty() count: number;
  @ApiProperty({ type: [AffectedUserView], description: 'The first 50, oldest account first' })
  users: AffectedUserView[];
}

export class ChangePreviewView {
  @ApiProperty({ description: 'Memberships that were judged' }) members: number;
  @ApiProperty({ description: 'All memberships were judged. At most 100,000 are; `format=csv` judges all' })
  complete: boolean;
  @ApiProperty({ description: 'You could no longer enter one of the apps' }) locks_you_out: boolean;
  @ApiProperty({ type: [EffectView], description: 'Only effects that occur, the most serious first' })
  effects: EffectView[];
}

export function changePreviewView({ members, isComplete, effects, locksYouOut }: ChangePreview): ChangePreviewView {
  return {
    members,
    complete: isComplete,
    locks_you_out: locksYouOut,
    effects: effects.map(({ effect, count, users }) => ({ effect, count, users: users.map(userView) })),
  };
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
