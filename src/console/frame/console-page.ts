import { applyDecorators, SetMetadata, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { Browser, type Standing } from '../../common/http/access-marks.js';
import { ConsoleErrorFilter } from './console-error.filter.js';
import { CONSOLE_STANDING, ConsoleGuard } from './console.guard.js';

/**
 * The mark of every route of the console: who may open it at all. Whether this very object is theirs, the service
 * decides. Forms must carry the session's form token; what goes wrong is shown within the console.
 * @param standing least standing, as acted; `app_manager` is everybody who may enter the console
 */
export const ConsolePage = (standing: Exclude<Standing, 'user'>) =>
  applyDecorators(
    Browser('console_session'),
    ApiExcludeEndpoint(),
    SetMetadata(CONSOLE_STANDING, standing),
    UseGuards(ConsoleGuard),
    UseFilters(ConsoleErrorFilter),
  );
