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
 * The mark of every route of the console: who may open it at all. Whether this very object is theirs, the service
 * decides. Forms must carry the session's form token; what goes wrong is shown within the console.
 * @param minimumRole while impersonating, that of the impersonation; `app_manager` is every operator
 * @param recentSignIn whether their last sign-in must be recent, as for the routes of the admin API
 * @param back page with the form, relative to its own address, where that is not the form's own address
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
