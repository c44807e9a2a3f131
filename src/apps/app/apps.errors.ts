import { Refusal } from '../../common/refusal.js';
import type { RegistrationFault } from './client-registration.rules.js';

export class AppNotFound extends Refusal {
  constructor() {
    super('not_found', 'App not found');
  }
}

/** The app's secret was created by an app admin, who would become an admin of the tenant with this scope. */
export class SecretMustBeRegenerated extends Refusal {
  constructor() {
    super('conflict', 'Regenerate the client secret first');
  }
}

/** The same for the app's keys: a tenant admin must replace or remove them first. */
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

export class TooManyApps extends Refusal {
  constructor() {
    super('conflict', 'The tenant has too many apps. Archive one first');
  }
}

/** Constraint for `translateViolation`. */
export const BUNDLE_ID_TAKEN = { uq_apps_bundle_id: () => new BundleIdAlreadyExists() };

/** The client itself provides its settings, and its users join by their own consent (docs/decisions/0075). */
export class AppRegisteredItself extends Refusal {
  constructor() {
    super(
      'conflict',
      'The app has registered itself. You can only switch it off or on, archive it, and suspend, reactivate or remove its users',
    );
  }
}

/** An archived app must be restored before it is switched on. */
export class AppIsArchived extends Refusal {
  constructor() {
    super('conflict', 'App is archived. Restore it first');
  }
}

/** No tenant accepts clients that register themselves. */
export class ClientsCannotRegister extends Refusal {
  constructor() {
    super('not_found', 'Dynamic client registration is turned off', { oauthError: 'access_denied' });
  }
}

/** RFC 7591 section 3.2.2. */
export class ClientRegistrationRefused extends Refusal {
  constructor({ error, description }: RegistrationFault) {
    super('bad_request', error, { oauthError: error, oauthDescription: description });
  }
}
