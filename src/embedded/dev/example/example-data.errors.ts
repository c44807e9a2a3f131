import { Refusal } from '../../../common/refusal.js';

export class ExampleDataPresent extends Refusal {
  constructor() {
    super('conflict', 'The example data is there already');
  }
}

/** Anywhere else it would mix made-up people with real ones. */
export class OnlyInEmbeddedMode extends Refusal {
  constructor() {
    super('forbidden', 'Only the embedded mode takes example data: unset DATABASE_URL');
  }
}
