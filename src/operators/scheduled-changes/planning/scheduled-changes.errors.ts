import { Refusal } from '../../../common/refusal.js';

/** Also for a change that the caller may not see. */
export class ScheduledChangeNotFound extends Refusal {
  constructor() {
    super('not_found', 'Scheduled change not found');
  }
}

/** It was executed, cancelled, or has failed. */
export class ScheduledChangeIsSettled extends Refusal {
  constructor() {
    super('conflict', 'The change is no longer scheduled');
  }
}

export class TooManyScheduledChanges extends Refusal {
  constructor() {
    super('conflict', 'Too many changes are scheduled. Cancel one first');
  }
}

/** The same confirmation as at saving. */
export class SelfLockOut extends Refusal {
  constructor() {
    super('conflict', 'You would lock yourself out. To schedule the change all the same, send lock_me_out: true');
  }
}

export class NotWhileImpersonating extends Refusal {
  constructor() {
    super('forbidden', 'You cannot schedule changes while you are impersonating. Stop impersonating first');
  }
}
