import { Refusal } from '../../../common/refusal.js';
import type { PageFault, RequestFault } from './authorization-request.rules.js';

/** The error in the URL of the sign-in page, for a client that does not accept HTML. */
export class InvalidSignInAddress extends Refusal {
  constructor(parameter: PageFault['parameter'], fix: string) {
    super('bad_request', `Invalid ${parameter}`, { beside: { error: 'invalid_request', error_description: fix } });
  }
}

/** The error of a request that an app pushes (RFC 9126 section 2.3). */
export class InvalidPushedRequest extends Refusal {
  constructor({ error, description }: RequestFault) {
    super('bad_request', description, { oauthError: error });
  }
}

export class InvalidMagicLink extends Refusal {
  constructor() {
    super('bad_request', 'Invalid or expired magic link', { beside: { error: 'invalid_magic_link' } });
  }
}

/** The page of an attempt that has expired, or was opened in another browser. */
export class SignInExpired extends Refusal {
  constructor() {
    super('bad_request', 'This sign-in page has expired. Go back to the app and start again.');
  }
}
