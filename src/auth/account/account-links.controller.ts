import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOperation, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { message } from '../../common/i18n/message.js';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { ProofTransactions } from '../../users/proof-transactions.js';
import { LinkedAccountsService } from '../providers/linked/linked-accounts.service.js';
import { LastSignInMethod } from '../providers/linked/linked-accounts.errors.js';
import { AccountVisits } from './page/account-visits.js';
import { AccountPages } from './page/account-pages.js';
import { AccountPage } from './page/account-page.js';

const LAST_WAY_IN = message('account.linked.last_way_in');

/** The actions of the card with linked accounts. Linking one is a sign-in at the provider. */
@ApiTags('Account')
@Controller('account/linked-accounts')
@AccountPage()
export class AccountLinksController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly pages: AccountPages,
    private readonly linked: LinkedAccountsService,
    private readonly proofs: ProofTransactions,
  ) {}

  @Post(':linked_account_id/remove')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiOperation({ summary: 'Remove a linked account', description: 'Requires a sign-in from the last five minutes.' })
  @ApiNotFoundResponse({ description: '`Linked account not found`, also for accounts of other users' })
  async remove(
    @Ctx() ctx: RequestContext,
    @Param('linked_account_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const visit = await this.visits.submitFresh(ctx, request, response, null);
    if (!visit) return;
    const { holder } = visit;
    try {
      await this.proofs.run(holder.proof, (tx) => this.linked.remove(tx, holder.ctx, holder.user.id, id));
    } catch (error) {
      if (!(error instanceof LastSignInMethod)) throw error;
      const errors = [{ field: null, message: LAST_WAY_IN }];
      return this.pages.show(response, visit, null, { status: 409, errors, fields: {} });
    }
    this.visits.leaveWith(response, 'unlinked');
  }
}
