import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ProviderName } from '../../../config/provider-settings.js';
import { User } from '../../../users/user.entity.js';
import { SignInAttempt } from '../../hosted-sign-in/attempts/sign-in-attempt.entity.js';

/** A browser that was redirected to a provider and may come back once, within ten minutes. */
@Entity('provider_states')
@Index('ix_provider_states_expires', ['expiresAt'])
@Index('ix_provider_states_attempt', ['attemptId'])
@Index('ix_provider_states_link_user', ['linkUserId'])
@Check('ck_provider_states_purpose', '(attempt_id IS NULL) <> (link_user_id IS NULL)')
export class ProviderState {
  /** SHA-256 of `state`. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_provider_states' })
  stateHash: Buffer;

  @Column('text')
  provider: ProviderName;

  /** SHA-256 of the browser cookie: the callback is accepted in no other browser. */
  @Column('bytea')
  browserHash: Buffer;

  /** The sign-in that goes on after the callback, with its app, redirect URI, device and invite. */
  @ForeignKey(() => SignInAttempt, { name: 'fk_provider_states_attempt', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  attemptId: string | null;

  /** Or the user who links an account. */
  @ForeignKey(() => User, { name: 'fk_provider_states_link_user', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  linkUserId: string | null;

  /** Started on our sign-in page: a failure leads back to it and not to the app. */
  @Column('boolean')
  fromPage: boolean;

  /** PKCE verifier and nonce. */
  @Column('text')
  sealed: string;

  /** Name that Apple posted beside the code. */
  @Column('text', { nullable: true })
  postedName: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
