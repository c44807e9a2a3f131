import type { TransferredCredentials } from '../../auth/credentials/passkeys/management/passkey-transfer.service.js';

/** The passkeys of a user in a document. Bytes are base64url. */
export interface TransferredPasskeys {
  /** The user handle in the authenticators (WebAuthn, section 5.4.3). */
  readonly user_handle: string;
  readonly credentials: readonly TransferredPasskey[];
}

export interface TransferredPasskey {
  readonly rp_id: string;
  readonly credential_id: string;
  /** COSE_Key (RFC 9052, section 7). */
  readonly public_key: string;
  readonly sign_count: number;
  readonly aaguid: string;
  readonly transports: readonly string[];
  readonly synced: boolean;
  readonly backed_up: boolean;
  readonly name: string | null;
}

export function passkeysPart({ handle, passkeys }: TransferredCredentials): TransferredPasskeys {
  return {
    user_handle: handle.toString('base64url'),
    credentials: passkeys.map((passkey) => ({
      rp_id: passkey.rpId,
      credential_id: passkey.credentialId.toString('base64url'),
      public_key: passkey.publicKey.toString('base64url'),
      sign_count: Number(passkey.signCount),
      aaguid: passkey.aaguid,
      transports: passkey.transports,
      synced: passkey.isSynced,
      backed_up: passkey.isBackedUp,
      name: passkey.name,
    })),
  };
}

export function passkeysFrom({ user_handle: handle, credentials }: TransferredPasskeys): TransferredCredentials {
  return {
    handle: Buffer.from(handle, 'base64url'),
    passkeys: credentials.map((each) => ({
      rpId: each.rp_id,
      credentialId: Buffer.from(each.credential_id, 'base64url'),
      publicKey: Buffer.from(each.public_key, 'base64url'),
      signCount: String(each.sign_count),
      aaguid: each.aaguid,
      transports: [...each.transports],
      isSynced: each.synced,
      isBackedUp: each.backed_up,
      name: each.name,
    })),
  };
}
