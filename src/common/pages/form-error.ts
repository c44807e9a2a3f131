import type { Text } from '../i18n/message.js';

/** An error of a submitted form, as the page shows it. */
export interface FormError {
  /** Name of the invalid field, or null for the whole form. */
  readonly field: string | null;
  readonly message: Text;
  /** Label of the field. A summary of several errors shows it before a message that does not contain it. */
  readonly label?: string;
  /** `Refusal.code`, if the error is a refusal of a service. */
  readonly code?: string;
}
