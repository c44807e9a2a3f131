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

/** Does not reveal which tenant has it. */
export class ResourceAlreadyExists extends Refusal {
  constructor() {
    super('conflict', 'Resource identifier already exists');
  }
}
