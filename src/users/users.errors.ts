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

/** A password that may not be set; `advice` says it to a person, beside the field. */
export abstract class PasswordRefused extends Refusal {
  constructor(
    detail: string,
    readonly advice: string,
  ) {
    super('bad_request', detail);
  }
}

export class PasswordTooShort extends PasswordRefused {
  constructor(minimum: number) {
    super(`Password must be at least ${minimum} characters`, `Use ${minimum} characters or more.`);
  }
}

/** Long enough, and yet easy to guess. */
export abstract class WeakPassword extends PasswordRefused {}

export class PasswordTooCommon extends WeakPassword {
  constructor() {
    super('This password is too common', 'This password is too common. Choose one that is only yours.');
  }
}

export class PasswordBreached extends WeakPassword {
  constructor() {
    const detail = 'This password has appeared in a data breach';
    super(detail, `${detail}. Choose another one, and change it wherever else you use it.`);
  }
}

export class PasswordTooGuessable extends WeakPassword {
  constructor() {
    const detail = "This password is too easy to guess: it contains your name or the app's";
    super(detail, `${detail}.`);
  }
}
