import { Refusal } from '../../common/refusal.js';

export class MisdirectedRequest extends Refusal {
  constructor() {
    super('misdirected', 'Misdirected Request');
  }
}

export class OnlyFromThisMachine extends Refusal {
  constructor() {
    super('forbidden', 'Development pages accept requests from this machine only. Open them at BASE_URL');
  }
}
