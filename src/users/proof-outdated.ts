import { NotAuthenticated } from '../common/http/http.refusals.js';

/**
 * The password, the second factor or the state of the account has changed since the user proved it, or all sign-ins
 * were ended. Routes with their own text for wrong credentials catch it and use that text.
 */
export class ProofOutdated extends NotAuthenticated {}
