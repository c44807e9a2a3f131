import { Refusal } from '../../common/refusal.js';

export class MisdirectedRequest extends Refusal {
  constructor() {
    super('misdirected', 'Misdirected Request');
  }
}

export class OnlyFromThisMachine extends Refusal {
  constructor() {
    super('forbidden', 'Only from this machine');
  }
}
