import { Refusal } from '../../../common/refusal.js';

export class ExampleDataPresent extends Refusal {
  constructor() {
    super('conflict', 'Example data already exists. To start again, delete the data folder');
  }
}

/** In any other mode, made-up users would be mixed with real ones. */
export class OnlyInEmbeddedMode extends Refusal {
  constructor() {
    super('forbidden', 'Example data is available in the embedded mode only. Unset DATABASE_URL');
  }
}
