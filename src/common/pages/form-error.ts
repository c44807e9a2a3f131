import type { Text } from '../i18n/message.js';

/** What a page says about a form that was not accepted. */
export interface FormError {
  /** Name of the field that it is about, or null for the whole form. */
  readonly field: string | null;
  readonly message: Text;
  /** What the form calls the field. A summary of several errors says it before a message that does not. */
  readonly label?: string;
  /** `Refusal.code`, where a refusal of a service is behind it. */
  readonly code?: string;
}
