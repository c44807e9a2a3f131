import { NotAuthenticated } from '../common/http/http.refusals.js';

/**
 * The password, the second factor or the state of the account has changed since it was proven, or everything was ended.
 * Doors with words of their own for bad credentials catch it and say those.
 */
export class ProofOutdated extends NotAuthenticated {}
