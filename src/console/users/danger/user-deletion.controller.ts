import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { UserDeletionService } from '../../../admin/users/account/user-deletion.service.js';
import { type Impact, UserImpactService } from '../../../admin/users/account/user-impact.service.js';
import type { FormError } from '../../../common/pages/form-error.js';
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
import { impactInWords } from './impact-words.js';
import { questionAbout } from '../page/user-question.js';

/** Deletes an account, after the operator has typed its address. */
@Controller('console/users/:user_id')
export class UserDeletionController {
  constructor(
    private readonly deletion: UserDeletionService,
    private readonly impacts: UserImpactService,
    private readonly facts: ActFacts,
    private readonly pages: ConsolePages,
  ) {}

  @Get('delete')
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  async askToDelete(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const impact = await this.impacts.read(id);
    await this.pages.confirm(
      consoleRequest,
      response,
      deletion(impact, await this.foresee(consoleRequest, impact), []),
    );
  }

  @Post('delete')
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  @HttpCode(303)
  async delete(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const impact = await this.impacts.read(id);
    if (!isTyped(fields, impact.user.email))
      return this.pages.confirm(consoleRequest, response, {
        ...deletion(impact, await this.foresee(consoleRequest, impact), notTyped()),
        status: 422,
      });
    await this.deletion.delete(consoleRequest.ctx, id);
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      '/console/users',
      `The account of ${impact.user.email} was deleted.`,
    );
  }

  /** Nothing for an account that cannot be deleted: the list says so. */
  private async foresee(consoleRequest: ConsoleRequest, { user, isLastPlatformAdmin }: Impact): Promise<Fact[]> {
    if (isLastPlatformAdmin || user.id === consoleRequest.actor.userId) return [];
    return this.facts.ofAccount(consoleRequest, user.id, 'delete');
  }
}

function deletion(impact: Impact, facts: readonly Fact[], errors: FormError[]): Confirmation {
  const { user } = impact;
  return {
    ...questionAbout(user, 'delete'),
    title: `Delete ${user.displayName}?`,
    lead: 'This permanently deletes the account and everything listed below. Audit log entries are kept.',
    impact: [...impactInWords(impact), ...facts],
    typeToConfirm: user.email,
    button: 'Delete account',
    errors,
  };
}
