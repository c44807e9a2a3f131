import { Refusal } from '../../refusal.js';

export class AssetNotFound extends Refusal {
  constructor() {
    super('not_found', 'Not Found');
  }
}
