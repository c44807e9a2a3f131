import { Controller, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { readLimitedAddress } from '../../admin/users/limits/user-limits.rules.js';
import { UserLimitsService } from '../../admin/users/limits/user-limits.service.js';
import type { FormError } from '../../common/pages/form-error.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../frame/requests/console-request.js';
import { LIMIT_COLUMNS, limitRow, limitsPath } from './limit-rows.js';

const NEITHER: FormError = {
  field: 'address',
  message: 'Enter an e-mail address, an IP address, or the ID of an app or a tenant.',
};

/**
 * Shows and clears the counters of an e-mail address (with or without an account), a network address, the server of an
 * app, or a tenant. Does the same as the command `admin unlock`.
 */
@Controller('console/queues/limits')
export class LimitsController {
  constructor(
    private readonly limits: UserLimitsService,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('platform_admin')
  show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query('address') requested: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const text = typeof requested === 'string' ? requested.replaceAll('\0', '').trim() : '';
    return this.page(consoleRequest, response, text);
  }

  @Post()
  @ConsolePage('platform_admin')
  async clear(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const text = fields['address'] ?? '';
    const address = readLimitedAddress(text);
    if (!address) return this.page(consoleRequest, response, text, [NEITHER]);
    const count = await this.limits.clearAddress(consoleRequest.ctx, address);
    const words = count === 0 ? 'No rate limit was active.' : `Cleared. ${text} can try again immediately.`;
    await this.pages.redirectWithFlash(consoleRequest, response, limitsPath(text), words);
  }

  private async page(
    consoleRequest: ConsoleRequest,
    response: Response,
    text: string,
    errors: readonly FormError[] = [],
  ): Promise<void> {
    const address = readLimitedAddress(text);
    const faults = text !== '' && !address ? [NEITHER] : errors;
    const { user, records } = address ? await this.limits.inspectAddress(address) : { user: null, records: [] };
    await this.pages.show(consoleRequest, response, {
      view: 'queues/limits',
      title: 'Look up rate limits',
      area: 'limits',
      crumbs: [{ label: 'Limits and queues', href: '/console/queues' }],
      status: faults.length > 0 ? 422 : 200,
      model: {
        errors: faults,
        address: text,
        looked: address !== null,
        isNetwork: address !== null && 'network' in address,
        isClient: address !== null && 'client' in address,
        user: user && { name: user.displayName, href: `/console/users/${user.id}/account` },
        columns: LIMIT_COLUMNS,
        limits: records.map(limitRow),
      },
    });
  }
}
