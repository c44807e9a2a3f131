import { Refusal } from '../../common/refusal.js';
import type { RegistrationFault } from './client-registration.rules.js';

export class AppNotFound extends Refusal {
  constructor() {
    super('not_found', 'App not found');
  }
}

/** The app's present secret was made by its own admin, who would become an admin of the tenant with this grant. */
export class SecretMustBeRegenerated extends Refusal {
  constructor() {
    super('conflict', 'Regenerate the client secret first');
  }
}

/** The same of the app's keys: a tenant admin sets them once more, or takes them away. */
export class KeysMustBeReplaced extends Refusal {
  constructor() {
    super('conflict', 'Replace the keys of the app first');
  }
}

export class BundleIdAlreadyExists extends Refusal {
  constructor() {
    super('conflict', 'Bundle ID already exists');
  }
}

/** Its settings come from the client itself. It can be switched off and archived, and its members removed. */
export class AppRegisteredItself extends Refusal {
  constructor() {
    super('conflict', 'The app has registered itself. It has no settings to change');
  }
}

/** An archived app is switched on after it is restored. */
export class AppIsArchived extends Refusal {
  constructor() {
    super('conflict', 'App is archived. Restore it first');
  }
}

/** No tenant takes clients that register themselves. */
export class ClientsCannotRegister extends Refusal {
  constructor() {
    super('not_found', 'Clients cannot register themselves here', { oauthError: 'access_denied' });
  }
}

/** RFC 7591 section 3.2.2. */
export class ClientRegistrationRefused extends Refusal {
  constructor({ error, description }: RegistrationFault) {
    super('bad_request', error, { oauthError: error, oauthDescription: description });
  }
}
