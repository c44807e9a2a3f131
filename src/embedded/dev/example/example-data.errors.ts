import { Refusal } from '../../../common/refusal.js';

export class ExampleDataPresent extends Refusal {
  constructor() {
    super('conflict', 'The example data is there already');
  }
}

/** In any other mode, made-up users would be mixed with real ones. */
export class OnlyInEmbeddedMode extends Refusal {
  constructor() {
    super('forbidden', 'Only the embedded mode takes example data: unset DATABASE_URL');
  }
}
