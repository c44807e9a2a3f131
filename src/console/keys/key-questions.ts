import type { FormError } from '../../common/pages/form-error.js';
import { type Confirmation, PLAIN_CONFIRMATION } from '../frame/pages/confirmation.js';

/** Text to type for confirmation. */
export const ROTATE_AT_ONCE = 'rotate at once';

const COMMON = {
  ...PLAIN_CONFIRMATION,
  area: 'keys',
  crumbs: [{ label: 'Keys', href: '/console/keys' }],
  cancelUrl: '/console/keys',
} as const;

/** The question before the planned rotation, which interrupts no user. */
export function rotateQuestion(): Confirmation {
  return {
    ...COMMON,
    title: 'Rotate the signing key?',
    lead: 'A new key is created. Users stay signed in, and apps do not need to change.',
    impact: [
      { label: 'Now', value: 'The new key is published in the key set' },
      {
        label: 'In an hour',
        value: 'The new key starts signing. Apps that cache the key set have fetched it again',
      },
      { label: 'The old key', value: 'Stays published until every token that it signed has expired' },
    ],
    action: '/console/keys/rotate',
    button: 'Rotate key',
  };
}

/** The question before the immediate rotation, for a leaked key. */
export function rotateAtOnceQuestion(errors: readonly FormError[]): Confirmation {
  return {
    ...COMMON,
    title: 'Rotate the signing key now?',
    lead: 'Only for a leaked key: tokens that it signed are no longer accepted.',
    status: errors.length > 0 ? 422 : 200,
    errors,
    impact: [
      { label: 'Every access token and service token', value: 'Stops working immediately, in all apps of all tenants' },
      { label: 'Refresh tokens and browser sessions', value: 'Keep working: apps get new tokens with them' },
      {
        label: 'Apps that cache the key set',
        value: 'Until they fetch it again, within an hour, they may accept the old key and refuse the new one',
      },
    ],
    typeToConfirm: ROTATE_AT_ONCE,
    isDanger: true,
    action: '/console/keys/rotate-at-once',
    button: 'Rotate key now',
  };
}
