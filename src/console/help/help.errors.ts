import { Refusal } from '../../common/refusal.js';

export class HelpArticleNotFound extends Refusal {
  constructor() {
    super('not_found', 'Help article not found');
  }
}
