import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PlatformAdminsService } from '../../../admin/users/platform-admins/platform-admins.service.js';
import { SecondFactorResetService } from '../../../admin/users/credentials/second-factor-reset.service.js';
import type { FormError } from '../../../common/pages/form-error.js';
import type { User } from '../../../users/user.entity.js';
import { type Confirmation, isTyped, notTyped } from '../../frame/pages/confirmation.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { ActFacts, type Fact } from '../../previews/act-facts.js';
import { questionAbout } from '../page/user-question.js';
import { UserPages } from '../page/user-pages.js';

/** Resets a second factor, and promotes or demotes platform admins, each after a confirmation. */
@Controller('console/users/:user_id')
export class UserDangerController {
  constructor(
    private readonly userPages: UserPages,
    private readonly factors: SecondFactorResetService,
    private readonly admins: PlatformAdminsService,
    private readonly facts: ActFacts,
    private readonly pages: ConsolePages,
  ) {}

  @Get('second-factor/reset')
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  async askToReset(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const { user } = await this.userPages.find(consoleRequest, id);
    await this.pages.confirm(consoleRequest, response, {
      ...questionAbout(user, 'second-factor/reset'),
      title: `Reset the second factor of ${user.displayName}?`,
      lead: 'Verify the user’s identity first. Until they set up a new second factor, a password, sign-in link or linked account alone is enough to sign in.',
      impact: [
        { label: 'Sessions and tokens', value: 'All are revoked' },
        { label: 'Backup codes', value: 'All stop working' },
        { label: 'Notified', value: `${user.email}, by mail` },
      ],
      button: 'Reset second factor',
    });
  }

  @Post('second-factor/reset')
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  @HttpCode(303)
  async reset(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.factors.reset(consoleRequest.ctx, id);
    const words = 'The second factor was reset. The user was signed out everywhere and notified by e-mail.';
    await this.pages.redirectWithFlash(consoleRequest, response, `/console/users/${id}/account`, words);
  }

  @Get('promote')
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  async askToPromote(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const { user } = await this.userPages.find(consoleRequest, id);
    await this.pages.confirm(consoleRequest, response, promotion(user, await this.foresee(consoleRequest, user), []));
  }

  @Post('promote')
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  @HttpCode(303)
  async promote(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const { user } = await this.userPages.find(consoleRequest, id);
    // The action toggles the role: another admin may already have done it since the page was shown.
    if (!isTyped(fields, user.email) || fields['was'] !== standingOf(user))
      return this.pages.confirm(consoleRequest, response, {
        ...promotion(user, await this.foresee(consoleRequest, user), notTyped()),
        status: 422,
      });
    const now = await this.admins.toggle(consoleRequest.ctx, id);
    const words = now.isPlatformAdmin ? 'Now a platform admin.' : 'No longer a platform admin.';
    await this.pages.redirectWithFlash(consoleRequest, response, `/console/users/${id}/account`, words);
  }

  /** Nothing for a promotion, and for an operator's own account, which cannot be demoted. */
  private async foresee(consoleRequest: ConsoleRequest, user: User): Promise<Fact[]> {
    if (!user.isPlatformAdmin || user.id === consoleRequest.actor.userId) return [];
    return this.facts.ofAccount(consoleRequest, user.id, 'remove_platform_admin');
  }
}

function standingOf({ isPlatformAdmin }: User): string {
  return isPlatformAdmin ? 'admin' : 'none';
}

function promotion(user: User, impact: readonly Fact[], errors: FormError[]): Confirmation {
  return {
    ...questionAbout(user, 'promote'),
    title: user.isPlatformAdmin
      ? `Remove ${user.displayName} as a platform admin?`
      : `Make ${user.displayName} a platform admin?`,
    lead: user.isPlatformAdmin
      ? 'They keep their roles in tenants and apps, and lose all other permissions immediately.'
      : 'Platform admins can do everything in every tenant, and can remove other platform admins. The other platform admins are notified by e-mail.',
    impact,
    typeToConfirm: user.email,
    hidden: [{ name: 'was', value: standingOf(user) }],
    button: user.isPlatformAdmin ? 'Remove platform admin role' : 'Make platform admin',
    errors,
  };
}
