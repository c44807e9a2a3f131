import { Refusal } from '../common/refusal.js';

export class UserNotFound extends Refusal {
  constructor() {
    super('not_found', 'User not found');
  }
}

export class UserAlreadyExists extends Refusal {
  constructor() {
    super('conflict', 'User already exists');
  }
}

export class PasswordTooShort extends Refusal {
  constructor(minimum: number) {
    super('bad_request', `Password must be at least ${minimum} characters`);
  }
}
