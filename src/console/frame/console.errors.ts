import { Refusal } from '../../common/refusal.js';

/** No page but another address: to the way in, or back to where a form came from. */
export class GoElsewhere extends Error {
  constructor(readonly location: string) {
    super(`Go to ${location}`);
  }
}

/** Known, and nothing to administer: they are told so, and no sign-in would help. */
export class NothingToAdminister extends Error {}

export class AlreadyActingAs extends Refusal {
  constructor() {
    super('conflict', 'You already act as somebody else. Exit that first');
  }
}
