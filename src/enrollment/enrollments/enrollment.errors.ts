import { Refusal } from '../../common/refusal.js';
import type { EnrollmentStatus } from './enrollment.entity.js';

export class EnrollmentNotFound extends Refusal {
  constructor() {
    super('not_found', 'Enrollment not found');
  }
}

export class ForbiddenTransition extends Refusal {
  constructor(detail: `Enrollment is not ${EnrollmentStatus}`) {
    super('conflict', detail);
  }
}

export class CannotRemoveYourself extends Refusal {
  constructor() {
    super('bad_request', 'You cannot remove yourself');
  }
}

/**
 * For an operator who impersonates a tenant or an app in the console: authority that they gave themselves would outlast
 * the impersonation.
 */
export class NotWhileActingAs extends Refusal {
  constructor() {
    super('forbidden', 'You cannot change your own rights while you are impersonating');
  }
}

/** The app would have no admin of its own any more. */
export class LastAppAdmin extends Refusal {
  constructor() {
    super('conflict', 'The last administrator of an app cannot leave it');
  }
}
