import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ClientCookie } from '../../common/http/browser/client-cookie.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import { THEME_COOKIE, THEMES } from '../../common/pages/brand/theme.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { type Fields, FormFields } from '../frame/requests/console-request.js';
import { pathAfterSignIn, readConsolePath } from '../login/console-path.rules.js';

const YEAR_SECONDS = 365 * 24 * 3600;

/**
 * Light, dark, or the system's theme: a preference of this browser, in a cookie that applies to every page of the
 * service.
 */
@Controller('console')
export class ThemeController {
  private readonly cookie: ClientCookie;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.cookie = new ClientCookie(THEME_COOKIE, settings.baseUrl);
  }

  @Post('theme')
  @ConsolePage('app_manager')
  choose(@FormFields() { theme, from }: Fields, @Res() response: Response): void {
    const chosen = THEMES.find((each) => each === theme) ?? 'system';
    if (chosen === 'system') this.cookie.clear(response);
    else this.cookie.write(response, chosen, YEAR_SECONDS);
    redirectTo(response, pathAfterSignIn(readConsolePath(from) ?? '/console/'));
  }
}
