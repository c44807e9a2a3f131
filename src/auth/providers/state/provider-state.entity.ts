import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ProviderName } from '../../../config/provider-settings.js';
import { User } from '../../../users/user.entity.js';
import { SignInAttempt } from '../../hosted-sign-in/attempts/sign-in-attempt.entity.js';

/** A redirect of a browser to a provider. The browser may come back once, within ten minutes. */
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

  /** SHA-256 of the browser cookie: the callback is not accepted in another browser. */
  @Column('bytea')
  browserHash: Buffer;

  /**
   * The sign-in that continues after the callback, with its app, redirect URI, device and invite. Null when linking.
   */
  @ForeignKey(() => SignInAttempt, { name: 'fk_provider_states_attempt', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  attemptId: string | null;

  /** The user who links an identity; null for a sign-in. */
  @ForeignKey(() => User, { name: 'fk_provider_states_link_user', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  linkUserId: string | null;

  /** Whether it was started on our sign-in page: a failure then leads back to that page, and not to the app. */
  @Column('boolean')
  fromPage: boolean;

  /** PKCE verifier and nonce, encrypted. */
  @Column('text')
  sealed: string;

  /** The name that Apple has posted together with the code. */
  @Column('text', { nullable: true })
  postedName: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
