import { CLIENT_SIGNING_ALGORITHMS } from '../../common/client-signing-algorithms.js';
import { NotAuthenticated } from '../../common/http/http.refusals.js';
import { Refusal } from '../../common/refusal.js';
import type { DpopFault } from './dpop-fault.js';

/** Error of the token endpoint and of /auth/par (RFC 9449 sections 5 and 8). */
export class DpopProofRefused extends Refusal {
  constructor({ code, message }: Pick<DpopFault, 'code' | 'message'>) {
    // RFC 9449 section 8: also where the answer has no `error` of OAuth, as that of /token/refresh.
    super('bad_request', message, { oauthError: code, beside: { error: code } });
  }
}

/** Error of routes that accept access tokens (RFC 9449 sections 7.1 and 9). */
export class DpopTokenRefused extends NotAuthenticated {
  constructor({ code, message }: Pick<DpopFault, 'code' | 'message'>) {
    const algorithms = CLIENT_SIGNING_ALGORITHMS.join(' ');
    super(message, {
      oauthError: code,
      challenge: `DPoP error="${code}", error_description="${message.replaceAll('"', "'")}", algs="${algorithms}"`,
    });
  }
}
