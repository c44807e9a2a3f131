import { Refusal } from '../../common/refusal.js';

export class SignInToAccept extends Refusal {
  constructor() {
    super('unauthenticated', 'Sign in to accept this invite');
  }
}
