import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { redirectTo } from '../../common/http/redirect-to.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { deviceRequest } from '../hosted-sign-in/authorization-request/authorization-request.js';
import { BrowserAttempts } from '../hosted-sign-in/attempts/browser-attempts.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { DeviceCodes } from './device-codes.js';
import { DevicePages } from './device-pages.js';

/** The form with the code of a device. */
@Injectable()
export class DeviceForm {
  constructor(
    private readonly codes: DeviceCodes,
    private readonly pages: DevicePages,
    private readonly sessions: SsoSessionsService,
    private readonly attempts: BrowserAttempts,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Continues to the sign-in of the device's app, where the user compares the code. @throws RateLimited */
  async proceed(ctx: RequestContext, code: string, request: Request, response: Response): Promise<void> {
    this.pages.checkForm(request);
    if (code.trim() === '') return this.pages.showAgain(request, response, code);
    const session = await this.sessions.find(request);
    const device = await this.codes.find(ctx, session?.userId ?? null, code);
    if (!device) return this.pages.showAgain(request, response, code);
    const requested = deviceRequest(this.settings.baseUrl, device.id);
    const { attempt } = await this.attempts.begin(device.appId, requested, session, request, response);
    redirectTo(response, `/sign-in/${attempt.id}`);
  }
}
