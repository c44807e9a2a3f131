import { Body, Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Requires } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { Choice } from '../../common/validation/fields.js';
import type { MembershipActionName } from '../../enrollment/enrollments/membership-actions.js';
import { ActPreviews } from './act-previews.service.js';
import { AccountActInput, actPreviewView, ActPreviewView, MembersActInput } from './acts.dto.js';
import type { MembersAct } from '../effects/proposed-acts.js';

class ActPreviewQuery {
  @Choice(['true'], { description: 'Must be `true`. Each action has its own route' })
  preview: string;
}

/** Previews of actions on users. */
@ApiTags('Admin: users')
@ApiBearerAuth()
@Controller('admin')
export class ActPreviewsController {
  constructor(private readonly previews: ActPreviews) {}

  @Post('apps/:app_id/members')
  @HttpCode(200)
  @Requires({ minimumRole: 'app_admin' })
  @ApiOperation({
    summary: 'Preview an action on members',
    description:
      'Shows how the next sign-in of each of these users would go, judged by the rules of sign-in: at the app and, for users ' +
      'who administer its tenant, at Console apps and at clients that have registered themselves. Unless you are a platform ' +
      'admin, the forecast leaves out what the previews of settings leave out. The users can have at most 10,000 memberships. ' +
      'Nothing is written.',
  })
  @ApiOkResponse({ type: ActPreviewView })
  @ApiNotFoundResponse({ description: '`App not found`' })
  async members(
    @Ctx() ctx: RequestContext,
    @Param('app_id') appId: string,
    @Query() _query: ActPreviewQuery,
    @Body() { act, user_ids, roles = [] }: MembersActInput,
  ): Promise<ActPreviewView> {
    const userIds = [...new Set(user_ids)];
    const change: MembersAct =
      act === 'set_roles' ? { act, userIds, roles } : { act: act as MembershipActionName, userIds };
    return actPreviewView(await this.previews.ofMembers(ctx, appId, change));
  }

  @Post('users/:user_id/acts')
  @HttpCode(200)
  @Requires({ minimumRole: 'platform_admin' })
  @ApiOperation({
    summary: 'Preview the deletion of an account, or the removal of a platform admin',
    description: 'Shows how the next sign-in of the user would go at each app and Console. Nothing is written.',
  })
  @ApiOkResponse({ type: ActPreviewView })
  @ApiBadRequestResponse({
    description: '`You cannot remove yourself`, `The last platform admin cannot be removed`',
  })
  @ApiNotFoundResponse({ description: '`User not found`' })
  async account(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Query() _query: ActPreviewQuery,
    @Body() { act }: AccountActInput,
  ): Promise<ActPreviewView> {
    return actPreviewView(await this.previews.ofAccount(ctx, userId, act));
  }
}
