import { Refusal } from '../../../../common/refusal.js';

export class InvalidTotpSession extends Refusal {
  constructor() {
    super('bad_request', 'Invalid or expired TOTP session');
  }
}

export class InvalidTotpCode extends Refusal {
  constructor() {
    super('unauthenticated', 'Invalid TOTP code');
  }
}

export class SecondFactorAlreadySet extends Refusal {
  constructor() {
    super('bad_request', 'Second factor already set up');
  }
}

export class NoSecondFactor extends Refusal {
  constructor() {
    super('bad_request', 'No second factor set up');
  }
}

export class SetupNotBegun extends Refusal {
  constructor() {
    super('bad_request', 'Set up a second factor first');
  }
}
