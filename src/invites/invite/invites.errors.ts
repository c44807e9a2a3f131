import type { AuditSubject } from '../../audit/audit.service.js';
import { Refusal } from '../../common/refusal.js';

/** Unknown, expired, exhausted, revoked, lapsed or for another app: the answer is the same. */
export class InvalidInvite extends Refusal {
  constructor() {
    super('bad_request', 'Invalid or expired invite');
  }
}

/** The same answer as for an exhausted invite. The audit log contains the details. */
export class InviteLapsed extends InvalidInvite {
  constructor(readonly subject: AuditSubject) {
    super();
  }
}

export class InviteNotForThisEmail extends Refusal {
  constructor() {
    super('bad_request', 'Invite not valid for this e-mail');
  }
}

/** The same answer as for an invite of another user. The audit log contains the details. */
export class InviteMadeWhileActing extends InviteNotForThisEmail {
  constructor(readonly subject: AuditSubject) {
    super();
  }
}

export class InviteNotFound extends Refusal {
  constructor() {
    super('not_found', 'Invite not found');
  }
}

export class InviteExhausted extends Refusal {
  constructor() {
    super('conflict', 'Invite is exhausted');
  }
}

export class InviteeSuspended extends Refusal {
  constructor() {
    super('forbidden', 'Account suspended');
  }
}
