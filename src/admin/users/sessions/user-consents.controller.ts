import { Controller, Delete, Get, Param } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiForbiddenResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { Requires } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { StatusView } from '../../../common/http/status.view.js';
import type { RequestContext } from '../../../common/request-context.js';
import { VisibleSessionsService } from './visible-sessions.service.js';
import { UserConsents } from './user-consents.service.js';

class UserConsentView {
  @ApiProperty({ format: 'uuid' }) app_id: string;
  @ApiProperty() app_name: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Identifier of the protected resource; null: the app itself',
  })
  resource: string | null;
  @ApiProperty({
    type: [String],
    description:
      'For a self-registered client: the host that has published it, and the hosts that its sign-ins redirect to. Empty for other apps',
  })
  client_hosts: readonly string[];
  @ApiProperty({ type: [String], description: 'Scopes that the user has allowed' }) scopes: readonly string[];
  @ApiProperty({ format: 'date-time' }) granted_at: Date;
}

/** A user's consents to third-party apps. */
@ApiTags('Admin: users')
@ApiBearerAuth()
@Controller('admin/users/:user_id/consents')
export class UserConsentsController {
  constructor(
    private readonly seen: VisibleSessionsService,
    private readonly consents: UserConsents,
  ) {}

  @Get()
  @Requires({ minimumRole: 'app_admin' })
  @ApiOperation({
    summary: 'List the consents of a user',
    description: 'Newest first. You see the consents to apps that you administer.',
  })
  @ApiOkResponse({ type: [UserConsentView] })
  @ApiNotFoundResponse({ description: '`User not found`' })
  async list(@Ctx() ctx: RequestContext, @Param('user_id') userId: string): Promise<UserConsentView[]> {
    const found = await this.seen.listConsents(ctx, userId);
    return found.map(({ appId, appName, hosts, resource, scopes, grantedAt }) => ({
      app_id: appId,
      app_name: appName,
      client_hosts: hosts === null ? [] : [...new Set([hosts.publisher ?? [], hosts.leadsTo].flat())],
      resource: resource === '' ? null : resource,
      scopes,
      granted_at: grantedAt,
    }));
  }

  @Delete(':app_id')
  @Requires({ minimumRole: 'app_admin' })
  @ApiOperation({
    summary: 'Withdraw the consent of a user to an app',
    description:
      'Ends the tokens of the user at the app, for all resources. The user stays a member and is asked for consent again.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiForbiddenResponse({ description: '`Insufficient permissions`' })
  @ApiNotFoundResponse({ description: '`User not found`, `App not found`, `Consent not found`' })
  async revoke(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Param('app_id') appId: string,
  ): Promise<StatusView> {
    await this.consents.revoke(ctx, userId, appId.toLowerCase());
    return { status: 'ok' };
  }
}
