import { ApiProperty } from '@nestjs/swagger';
import { Choice, TextList, UuidList } from '../../common/validation/fields.js';
import type { ActPreview } from './act-previews.service.js';
import { effectViews, EffectView } from '../changes/change-preview.view.js';

/** Maximum number of users in one request, as in a task. */
const MAX_USERS = 5_000;

export class MembersActInput {
  @Choice(['approve', 'deny', 'suspend', 'reactivate', 'remove', 'set_roles'], {
    description: 'The action to preview for each user. An admin of a tenant is a member of its Console app',
  })
  act: string;

  @UuidList({ min: 1, max: MAX_USERS })
  user_ids: string[];

  @TextList({ optional: true, max: 100, itemMax: 64, description: 'For `set_roles`: the new roles' })
  roles?: string[];
}

export class AccountActInput {
  @Choice(['delete', 'remove_platform_admin'])
  act: 'delete' | 'remove_platform_admin';
}

class RefusedUserView {
  @ApiProperty({ format: 'uuid' }) user_id: string;
  @ApiProperty({ example: 'Enrollment is not active' }) detail: string;
}

export class ActPreviewView {
  @ApiProperty({ description: 'Users to whom the action would apply' }) users: number;
  @ApiProperty({ type: [EffectView], description: 'Only effects that occur, most serious first' })
  effects: EffectView[];
  @ApiProperty({ description: 'Sign-ins at apps that would end, counted by their refresh tokens' })
  ended_sign_ins: number;
  @ApiProperty({ description: 'The tenant would have no admins left' }) leaves_no_admin: boolean;
  @ApiProperty({ type: [RefusedUserView], description: 'Users for whom the action would fail' })
  refused: RefusedUserView[];
}

export function actPreviewView({ users, effects, endedSignIns, leavesNoAdmin, refused }: ActPreview): ActPreviewView {
  return {
    users,
    effects: effectViews(effects),
    ended_sign_ins: endedSignIns,
    leaves_no_admin: leavesNoAdmin,
    refused: refused.map(({ userId, reason }) => ({ user_id: userId, detail: reason })),
  };
}
