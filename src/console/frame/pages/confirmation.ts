import type { Text } from '../../../common/i18n/message.js';
import type { FormError } from '../../../common/pages/form-error.js';
import type { Fields } from '../requests/console-request.js';
import type { Area, Crumb } from './navigation.js';

/** A page that asks for confirmation. Its form posts `form_token`, `hidden`, `confirm_name` and `reason`. */
export interface Confirmation {
  /** A question or an announcement, for example `Remove Ada from Acme?` */
  readonly title: string;
  readonly lead: string;
  readonly area: Area | null;
  /** Tenant of the object: see `TenantSwitch.follow`. */
  readonly tenantId?: string | null;
  readonly crumbs?: readonly Crumb[];
  readonly status?: number;
  /** The effects of the action. */
  readonly impact: readonly { readonly label: string; readonly value: Text }[];
  /** Text to type for confirmation; null: a button is enough. */
  readonly typeToConfirm: string | null;
  /** Label of a field for the reason; null: no field. */
  readonly reasonLabel: string | null;
  readonly reason: string;
  readonly action: string;
  readonly hidden: readonly { readonly name: string; readonly value: string }[];
  readonly button: string;
  readonly isDanger: boolean;
  readonly cancelUrl: string;
  readonly cancelLabel: string;
  readonly errors: readonly FormError[];
}

/** The usual confirmation: only a button. */
export const PLAIN_CONFIRMATION = {
  impact: [],
  typeToConfirm: null,
  reasonLabel: null,
  reason: '',
  hidden: [],
  isDanger: false,
  cancelLabel: 'Cancel',
  errors: [],
} as const;

/** Whether the name that the {@link Confirmation} asks for was typed. */
export function isTyped(fields: Fields, name: string): boolean {
  return fields['confirm_name'] === name.trim();
}

export function notTyped(): FormError[] {
  return [{ field: 'confirm_name', message: 'The name does not match.' }];
}
