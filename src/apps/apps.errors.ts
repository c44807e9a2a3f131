import { Refusal } from '../common/refusal.js';

export class AppNotFound extends Refusal {
  constructor() {
    super('not_found', 'App not found');
  }
}

export class BundleIdAlreadyExists extends Refusal {
  constructor() {
    super('conflict', 'Bundle ID already exists');
  }
}
