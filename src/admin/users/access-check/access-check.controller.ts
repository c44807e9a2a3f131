import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Requires } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Uuid } from '../../../common/validation/fields.js';
import { type CheckedRule, isAllowed } from './access-check.rules.js';
import { AccessCheckService } from './access-check.service.js';

class AccessCheckQuery {
  @Uuid()
  app_id: string;
}

class CheckedRuleView {
  @ApiProperty({ example: 'not_suspended' }) rule: string;
  @ApiProperty({ enum: ['pass', 'fail', 'info'], description: '`info` does not affect the result' }) verdict: string;
  @ApiProperty({ description: 'Explanation for the operator, in English' }) explanation: string;
}

class AccessCheckView {
  @ApiProperty({ format: 'uuid' }) user_id: string;
  @ApiProperty({ format: 'uuid' }) app_id: string;
  @ApiProperty({ description: 'True if no rule fails' }) allowed: boolean;
  @ApiProperty({ type: [CheckedRuleView], description: 'In the order in which sign-in applies them' })
  rules: CheckedRuleView[];
}

@ApiTags('Admin: users')
@ApiBearerAuth()
@Controller('admin/users/:user_id')
export class AccessCheckController {
  constructor(private readonly checks: AccessCheckService) {}

  @Get('access-check')
  @Requires({ minimumRole: 'app_admin' })
  @ApiOperation({
    summary: 'Check whether a user can sign in to an app',
    description:
      'Returns every rule of sign-in with its verdict. One passing sign-in method (password, magic_link, passkey) is enough. ' +
      'Changes nothing and counts no attempt. Unless you are a platform admin, it leaves out linked accounts and passkeys ' +
      'that the user did not use at the last sign-in to the app, and policies of tenants that you do not administer.',
  })
  @ApiOkResponse({ type: AccessCheckView })
  @ApiNotFoundResponse({ description: '`User not found`, `App not found`' })
  async check(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Query() { app_id: appId }: AccessCheckQuery,
  ): Promise<AccessCheckView> {
    const rules = await this.checks.check(ctx, userId, appId);
    return { user_id: userId, app_id: appId, allowed: isAllowed(rules), rules: rules.map(view) };
  }
}

function view({ rule, verdict, explanation }: CheckedRule): CheckedRuleView {
  return { rule, verdict, explanation };
}
