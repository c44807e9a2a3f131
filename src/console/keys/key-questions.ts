import type { FormError } from '../../common/pages/form-error.js';
import { type Confirmation, PLAIN_CONFIRMATION } from '../frame/confirmation.js';

/** Typed by whoever is sure. */
export const ROTATE_AT_ONCE = 'rotate at once';

const COMMON = {
  ...PLAIN_CONFIRMATION,
  area: 'keys',
  crumbs: [{ label: 'Keys', href: '/console/keys' }],
  cancelUrl: '/console/keys',
} as const;

/** Before the rotation that nobody notices. */
export function rotateQuestion(): Confirmation {
  return {
    ...COMMON,
    title: 'Rotate the signing key?',
    lead: 'A new key is made. Nobody is signed out, and apps need to do nothing.',
    impact: [
      { label: 'Now', value: 'The new key is published in the key set' },
      { label: 'In an hour', value: 'It signs, when every app that keeps the key set has fetched it again' },
      { label: 'The old key', value: 'Stays published until every token that it signed is over' },
    ],
    action: '/console/keys/rotate',
    button: 'Rotate',
  };
}

/** Before the rotation for a key that has leaked. */
export function rotateAtOnceQuestion(errors: readonly FormError[]): Confirmation {
  return {
    ...COMMON,
    title: 'Rotate the signing key at once?',
    lead: 'Only for a key that has leaked: what it signed is believed no more, whoever holds it.',
    status: errors.length > 0 ? 422 : 200,
    errors,
    impact: [
      { label: 'Every access token and service token', value: 'Ends at once, in all apps of all tenants' },
      { label: 'Refresh tokens and browser sessions', value: 'Stay: apps fetch new tokens with them' },
      {
        label: 'Apps that keep the key set',
        value: 'Until they fetch it again, within an hour, they may believe the old key and refuse the new one',
      },
    ],
    typeToConfirm: ROTATE_AT_ONCE,
    isDanger: true,
    action: '/console/keys/rotate-at-once',
    button: 'Rotate at once',
  };
}
