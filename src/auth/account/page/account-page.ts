import { applyDecorators, UseFilters } from '@nestjs/common';
import { ApiTooManyRequestsResponse } from '@nestjs/swagger';
import { ProofOutdatedFilter } from './proof-outdated.filter.js';

/** Decorators of all pages and forms of the account. */
export const AccountPage = () =>
  applyDecorators(
    UseFilters(ProofOutdatedFilter),
    ApiTooManyRequestsResponse({ description: 'Error page: too many requests from this user, with Retry-After' }),
  );
