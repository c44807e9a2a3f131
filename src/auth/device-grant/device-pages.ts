import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Message, message } from '../../common/i18n/message.js';
import type { FormError } from '../../common/pages/form-error.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import { BrowserBinding } from '../session/browser-binding.js';

/** Purpose of the form token. */
const PURPOSE = 'device';
const MAX_SHOWN_LENGTH = 64;

/** Messages for the errors with which a refused sign-in leads back here. */
const REASONS: Readonly<Record<string, Message>> = {
  account_suspended: message('sign-in.device.suspended'),
};

/** The page where users type the code of their device. Only the code determines the app. */
@Injectable()
export class DevicePages {
  constructor(
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
  ) {}

  show(
    request: Request,
    response: Response,
    { code, reason }: { readonly code: string; readonly reason: string },
  ): Promise<void> {
    const explanation = Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
    return this.send(request, response, 200, code, explanation ? [{ field: null, message: explanation }] : []);
  }

  /** @throws CrossSiteRequest */
  checkForm(request: Request): void {
    this.browser.checkForm(request, PURPOSE);
  }

  showAgain(request: Request, response: Response, code: string): Promise<void> {
    const text = code.trim() === '' ? message('sign-in.device.missing') : message('sign-in.device.wrong');
    return this.send(request, response, 422, code, [{ field: 'user_code', message: text }]);
  }

  private send(
    request: Request,
    response: Response,
    status: number,
    code: string,
    errors: readonly FormError[],
  ): Promise<void> {
    return this.pages.send(response, {
      view: 'sign-in/device',
      title: message('sign-in.device.heading'),
      status,
      model: {
        code: code.slice(0, MAX_SHOWN_LENGTH),
        errors,
        formToken: this.browser.formToken(this.browser.ensure(request, response), PURPOSE),
      },
    });
  }
}
