import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { FcmServiceAccount } from '../../../config/settings.js';

const GOOGLE_TOKENS = 'https://oauth2.googleapis.com/token';
const KEY_BITS = { least: 2_048, most: 4_096 };

/** A usable service account. */
export interface FcmAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKey: KeyObject;
  /** The address that issues its access tokens. */
  readonly tokenUri: string;
}

/**
 * Reads a service account; null if it is not usable.
 *
 * `token_uri` is used only in the operator's own account: a tenant's would make the service call a URL of the tenant's
 * choice, so it is not even stored. Without it, tokens come from Google, or from FCM_ENDPOINT.
 */
export function readFcmAccount(account: FcmServiceAccount, fcmEndpoint: string | null): FcmAccount | null {
  const { project_id: projectId, client_email: clientEmail, private_key: pem, token_uri } = account;
  // It becomes a part of the URL path.
  if (!/^[a-z0-9](?:[a-z0-9.:-]{0,98}[a-z0-9])?$/.test(projectId) || projectId.includes('..')) return null;
  const privateKey = readKey(pem);
  if (!privateKey) return null;
  const tokenUri = token_uri ?? (fcmEndpoint ? new URL('/token', fcmEndpoint).href : GOOGLE_TOKENS);
  return { projectId, clientEmail, privateKey, tokenUri };
}

/** RSA of a usual size: a huge key would keep the processor busy. */
function readKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem);
    const bits = key.asymmetricKeyType === 'rsa' ? key.asymmetricKeyDetails?.modulusLength : undefined;
    return bits !== undefined && bits >= KEY_BITS.least && bits <= KEY_BITS.most ? key : null;
  } catch {
    return null;
  }
}
