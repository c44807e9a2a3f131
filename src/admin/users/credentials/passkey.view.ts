import { ApiProperty } from '@nestjs/swagger';
import type { Passkey } from '../../../auth/credentials/passkeys/stored/passkey.entity.js';

export class PasskeyView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Name that the user gave it' }) name: string | null;
  @ApiProperty({
    format: 'uuid',
    description: 'Authenticator model (AAGUID); all zeros if the authenticator does not report it',
  })
  aaguid: string;
  @ApiProperty({ type: String, nullable: true, description: 'Name of the model, if it is known' }) model: string | null;
  @ApiProperty({ description: 'True if the passkey can be synced to other devices of the user' }) synced: boolean;
  @ApiProperty({ description: 'Host that the passkey works at' }) rp_id: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) last_used_at: string | null;
}

export function passkeyView(passkey: Passkey, model: string | null): PasskeyView {
  return {
    id: passkey.id,
    name: passkey.name,
    aaguid: passkey.aaguid,
    model,
    synced: passkey.isSynced,
    rp_id: passkey.rpId,
    created_at: passkey.createdAt.toISOString(),
    last_used_at: passkey.lastUsedAt?.toISOString() ?? null,
  };
}
