import type { Text } from '../i18n/message.js';

/** What a page says about a form that was not accepted. */
export interface FormError {
  /** Name of the field that it is about, or null for the whole form. */
  readonly field: string | null;
  readonly message: Text;
  /** `Refusal.code`, where a refusal of a service is behind it. */
  readonly code?: string;
}
