import { Refusal } from '../../../common/refusal.js';

export class PasswordAlreadySet extends Refusal {
  constructor() {
    super('bad_request', 'Password already set');
  }
}

export class NoPasswordSet extends Refusal {
  constructor() {
    super('bad_request', 'No password set');
  }
}

export class CurrentPasswordIncorrect extends Refusal {
  constructor() {
    super('bad_request', 'Current password is incorrect');
  }
}
