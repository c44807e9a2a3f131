import { Refusal } from '../common/refusal.js';

export class TenantNotFound extends Refusal {
  constructor() {
    super('not_found', 'Tenant not found');
  }
}

export class TenantIsNotActive extends Refusal {
  constructor() {
    super('conflict', 'Tenant is not active');
  }
}

export class SlugAlreadyExists extends Refusal {
  constructor() {
    super('conflict', 'Slug already exists');
  }
}

/** Which tenant has it is not said. */
export class ResourceAlreadyExists extends Refusal {
  constructor() {
    super('conflict', 'Resource identifier already exists');
  }
}
