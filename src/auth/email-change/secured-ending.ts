import { message } from '../../common/i18n/message.js';
import type { CredentialLists } from '../listed-credentials/listed-credentials.js';
import type { StopResultPage } from '../stop-links/stop-pages.js';
import { EmailTaken } from './stored/email-change.errors.js';

/**
 * What the page shows after an account was secured, or if another account has verified the old address.
 * @param secure the operation, which returns the credentials that remain
 */
export async function securedEnding(secure: Promise<CredentialLists>): Promise<StopResultPage> {
  try {
    const { kept } = await secure;
    return { heading: message('sign-in.secured.done'), lead: message('sign-in.secured.done_lead'), kept };
  } catch (error) {
    if (!(error instanceof EmailTaken)) throw error;
    const [heading, lead] = [
      message('sign-in.stop_email_change.taken'),
      message('sign-in.stop_email_change.taken_lead'),
    ];
    return { heading, lead, status: 409 };
  }
}
