import { applyDecorators, SetMetadata, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import {
  Browser,
  CONSOLE_RECENT_SIGN_IN,
  type RecentSignInMark,
  type MinimumRole,
} from '../../../common/http/access-marks.js';
import { ConsoleErrorFilter } from './console-error.filter.js';
import { type ConsoleRecentSignIn, MINIMUM_ROLE, ConsoleGuard } from './console.guard.js';

/**
 * The mark of every console route: the roles that may open it. The service decides whether the object is within the
 * operator's authority. Forms must contain the session's form token; errors are shown in the console.
 * @param minimumRole while impersonating, the role of the impersonation; `app_manager` means every operator
 * @param recentSignIn whether the last sign-in must be recent, as for the routes of the admin API
 * @param back page with the form, relative to its own path, if it differs from that of the form
 */
export const ConsolePage = (
  minimumRole: Exclude<MinimumRole, 'user'>,
  { recentSignIn, back = '' }: { recentSignIn?: Exclude<RecentSignInMark, 'never'>; back?: string } = {},
) =>
  applyDecorators(
    Browser('console_session'),
    ApiExcludeEndpoint(),
    SetMetadata(MINIMUM_ROLE, minimumRole),
    SetMetadata(CONSOLE_RECENT_SIGN_IN, { mark: recentSignIn ?? 'never', back } satisfies ConsoleRecentSignIn),
    UseGuards(ConsoleGuard),
    UseFilters(ConsoleErrorFilter),
  );
