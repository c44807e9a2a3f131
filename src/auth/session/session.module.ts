import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { BrowserSignOut } from './browser-sign-out.js';
import { SessionReplacement } from './session-replacement.js';
import { SsoCookie } from './sso-cookie.js';
import { BrowserBinding } from './browser-binding.js';
import { KnownBrowserCookie } from './known-browsers/known-browser-cookie.js';
import { KnownBrowser } from './known-browsers/known-browser.entity.js';
import { KnownBrowsersRepository } from './known-browsers/known-browsers.repository.js';
import { KnownBrowsers } from './known-browsers/known-browsers.service.js';
import { LastApp } from './last-app.js';
import { LastMethod } from './last-method.js';
import { NewSignInNotice } from './known-browsers/new-sign-in-notice.service.js';
import { UserLimits } from './known-browsers/user-limits.service.js';
import { RemoteSignOut } from './remote-sign-out.js';
import { SsoSession } from './sso-session.entity.js';
import { SsoSessionsRepository } from './sso-sessions.repository.js';
import { SsoSessionsService } from './sso-sessions.service.js';

/**
 * Owns what recognizes a browser: the SSO session, known browsers, the browser cookie with the form tokens, the last
 * app and the last method, and the rate limits of a user that depend on known browsers. It does not decide whether a
 * user may sign in.
 */
@Module({
  imports: [
    RateLimitsModule,
    EnrollmentModule,
    TokensModule,
    UsersModule,
    TypeOrmModule.forFeature([SsoSession, KnownBrowser]),
  ],
  providers: [
    SsoSessionsService,
    SsoSessionsRepository,
    SessionReplacement,
    SsoCookie,
    BrowserSignOut,
    RemoteSignOut,
    KnownBrowsers,
    KnownBrowsersRepository,
    KnownBrowserCookie,
    NewSignInNotice,
    UserLimits,
    BrowserBinding,
    LastApp,
    LastMethod,
  ],
  exports: [
    SsoSessionsService,
    BrowserSignOut,
    RemoteSignOut,
    KnownBrowsers,
    KnownBrowserCookie,
    UserLimits,
    BrowserBinding,
    LastApp,
    LastMethod,
  ],
})
export class SessionModule {}
