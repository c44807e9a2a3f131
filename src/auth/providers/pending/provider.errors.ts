import { Refusal } from '../../../common/refusal.js';

export class UnknownProvider extends Refusal {
  constructor() {
    super('not_found', 'Unknown provider');
  }
}

export class InvalidOauthToken extends Refusal {
  constructor() {
    super('bad_request', 'Invalid or expired oauth_token');
  }
}
