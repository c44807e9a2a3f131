import { Refusal } from '../../common/refusal.js';

/** The page of an attempt that is too old, or was opened in another browser. */
export class SignInExpired extends Refusal {
  constructor() {
    super('bad_request', 'This sign-in page has expired. Go back to the app and start again.');
  }
}
