import { ApiProperty } from '@nestjs/swagger';
import type { InviteWithStatus } from './invites.repository.js';

/** An invite with its code, as administrators may see it. */
export interface ShownInvite extends InviteWithStatus {
  /** Null if it is withheld, or can no longer be decrypted, because its key is gone. */
  readonly code: string | null;
  /** The code gives authority, and the caller has not signed in recently. */
  readonly isCodeWithheld: boolean;
}

export class InviteView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '7ZK4M0Q9R2T5X',
    description:
      'Case, spaces and hyphens do not matter. The e-mail contains a different code, which also verifies the address. `null` if the invite gives authority, and you did not sign in within the last 15 minutes',
  })
  code: string | null;
  @ApiProperty({ format: 'uuid' }) app_id: string;
  @ApiProperty({ type: [String] }) roles: string[];
  @ApiProperty() max_uses: number;
  @ApiProperty() use_count: number;
  @ApiProperty({
    enum: ['usable', 'exhausted', 'expired'],
    description: '`exhausted` also if its creator can no longer grant these roles',
  })
  status: 'usable' | 'exhausted' | 'expired';
  @ApiProperty({ type: String, nullable: true, description: 'The invite works only for this address' }) email:
    string | null;
  @ApiProperty({ description: 'An e-mail was queued or sent' }) email_sent: boolean;
  @ApiProperty({ format: 'date-time' }) expires_at: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) created_by: string | null;
}

export function inviteView({ invite, status, code }: ShownInvite): InviteView {
  return {
    id: invite.id,
    code,
    app_id: invite.appId,
    roles: invite.roles,
    max_uses: invite.maxUses,
    use_count: invite.useCount,
    status: status === 'lapsed' ? 'exhausted' : status,
    email: invite.email,
    email_sent: invite.email !== null,
    expires_at: invite.expiresAt.toISOString(),
    created_at: invite.createdAt.toISOString(),
    created_by: invite.createdBy,
  };
}
