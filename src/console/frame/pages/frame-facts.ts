import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { hasMinimumRole } from '../../../auth/access/access.rules.js';
import { MAX_COUNTED_REQUESTS, RequestQueue } from '../../../enrollment/requests/request-queue.service.js';
import type { ConsoleRequest } from '../requests/console-request.js';
import { type Area, type NavigationGroup, navigationFor } from './navigation.js';
import { TenantSwitch, type TenantSwitchView } from './tenant-switch.js';

/** Data of the frame of a page, read from the database. */
export interface FrameFacts extends TenantSwitchView {
  readonly navigation: NavigationGroup[];
  /** Pending requests for access that this operator can decide; null: none. */
  readonly waiting: { readonly shown: string; readonly isOne: boolean } | null;
}

/** Reads the frame's data for each page. */
@Injectable()
export class FrameReader {
  constructor(
    private readonly requests: RequestQueue,
    private readonly tenantSwitch: TenantSwitch,
  ) {}

  /** @param page see {@link TenantSwitch.follow} */
  async read(
    consoleRequest: ConsoleRequest,
    response: Response,
    page: { readonly area: Area | null; readonly tenantId?: string | null },
  ): Promise<FrameFacts> {
    const { actor, listCtx } = consoleRequest;
    const waiting = hasMinimumRole(actor.authority, 'app_admin') ? await this.requests.count(listCtx) : 0;
    const number = waiting < MAX_COUNTED_REQUESTS ? String(waiting) : `${MAX_COUNTED_REQUESTS - 1}+`;
    const counts = waiting > 0 ? { requests: number } : {};
    return {
      ...(await this.tenantSwitch.follow(consoleRequest, response, page)),
      navigation: navigationFor(actor.authority, page.area, counts),
      waiting: waiting > 0 ? { shown: number, isOne: waiting === 1 } : null,
    };
  }
}
