/**
 * Rolls back the transaction of a sign-in that another request has finished, or whose browser session has ended
 * meanwhile.
 */
export class SignInOver extends Error {
  constructor() {
    super('The sign-in is over');
    this.name = SignInOver.name;
  }
}
