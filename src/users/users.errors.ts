import { type Message, message } from '../common/i18n/message.js';
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

/** A password that is refused; `advice` explains why, next to the field. */
export abstract class PasswordRefused extends Refusal {
  constructor(
    detail: string,
    readonly advice: Message,
  ) {
    super('bad_request', detail);
  }
}

export class PasswordTooShort extends PasswordRefused {
  constructor(minimum: number) {
    super(`Password must be at least ${minimum} characters`, message('fields.password_too_short', { min: minimum }));
  }
}

/** Long enough, but easy to guess. */
export abstract class WeakPassword extends PasswordRefused {}

export class PasswordTooCommon extends WeakPassword {
  constructor() {
    super('This password is too common', message('fields.password_too_common'));
  }
}

export class PasswordBreached extends WeakPassword {
  constructor() {
    super('This password has appeared in a data breach', message('fields.password_breached'));
  }
}

export class PasswordTooGuessable extends WeakPassword {
  constructor() {
    const detail = "This password is too easy to guess: it contains your name or the app's";
    super(detail, message('fields.password_too_guessable'));
  }
}
