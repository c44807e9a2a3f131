import { Refusal } from '../common/refusal.js';

export class EnrollmentNotFound extends Refusal {
  constructor() {
    super('not_found', 'Enrollment not found');
  }
}

export class ForbiddenTransition extends Refusal {
  constructor(detail: 'Enrollment is not pending' | 'Enrollment is not active' | 'Enrollment is not suspended') {
    super('conflict', detail);
  }
}

export class CannotRemoveYourself extends Refusal {
  constructor() {
    super('bad_request', 'You cannot remove yourself');
  }
}
