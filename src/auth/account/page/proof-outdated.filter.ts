import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { redirectTo } from '../../../common/http/redirect-to.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { accountSignInPath, readAccountSection } from '../../hosted-sign-in/authorization-request/account-sections.js';

/**
 * The account has changed between the check of the session and the action of a form, so nothing was done. The user
 * signs in again and returns to the same page.
 */
@Catch(ProofOutdated)
export class ProofOutdatedFilter implements ExceptionFilter<ProofOutdated> {
  catch(_: ProofOutdated, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const section = readAccountSection(request.path.replace(/^\/account\/|\/$/g, ''));
    redirectTo(response, accountSignInPath({ fresh: true, section }));
  }
}
