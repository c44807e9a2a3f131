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
import { SeenSessionsService } from './seen-sessions.service.js';
import { UserConsents } from './user-consents.service.js';

class UserConsentView {
  @ApiProperty({ format: 'uuid' }) app_id: string;
  @ApiProperty() app_name: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Identifier of a protected resource; null: the app itself',
  })
  resource: string | null;
  @ApiProperty({
    type: [String],
    description:
      'Of a client that has registered itself: the host that has published it, and those that its sign-ins lead to. Empty for other apps',
  })
  client_hosts: readonly string[];
  @ApiProperty({ type: [String], description: 'What the user has allowed' }) scopes: readonly string[];
  @ApiProperty({ format: 'date-time' }) granted_at: Date;
}

/** What a user has allowed apps that are not their tenant's own. */
@ApiTags('Admin: users')
@ApiBearerAuth()
@Controller('admin/users/:user_id/consents')
export class UserConsentsController {
  constructor(
    private readonly seen: SeenSessionsService,
    private readonly consents: UserConsents,
  ) {}

  @Get()
  @Requires({ minimumRole: 'app_admin' })
  @ApiOperation({
    summary: 'Consents of a user',
    description: 'Newest first; those of apps that the caller administers.',
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
    summary: 'Take back the consent of a user to an app',
    description:
      'Ends the tokens of the user at the app, for all resources. The user stays a member, and is asked again.',
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
