import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';
import { RefreshFamily } from '../token-family/refresh-family.entity.js';

/**
 * An access token that an app got in exchange for another. It is valid while its sign-in and all exchanges before it
 * are.
 */
@Entity('token_exchanges')
@Index('ix_token_exchanges_family', ['familyId'])
@Index('ix_token_exchanges_parent', ['parentId'], { where: 'parent_id IS NOT NULL' })
@Index('ix_token_exchanges_actor_app', ['actorAppId'])
@Index('ix_token_exchanges_expires', ['expiresAt'])
export class TokenExchange {
  /** `jti` of the token. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_token_exchanges' })
  id: string;

  /** Sign-in of the first token. */
  @ForeignKey(() => RefreshFamily, { name: 'fk_token_exchanges_family', onDelete: 'CASCADE' })
  @Column('uuid')
  familyId: string;

  /** The exchange that issued the presented token; null: the token of the sign-in itself. */
  @ForeignKey(() => TokenExchange, { name: 'fk_token_exchanges_parent', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  parentId: string | null;

  /** The app whose server requested the exchange, and acts for the user. */
  @ForeignKey(() => App, { name: 'fk_token_exchanges_actor_app', onDelete: 'CASCADE' })
  @Column('uuid')
  actorAppId: string;

  /** The resource whose server received the token; null: it was issued to the app itself. */
  @Column('text', { nullable: true })
  servedResource: string | null;

  /** Resource of the new token. */
  @Column('text')
  resource: string;

  /** Space-separated, may be empty. */
  @Column('text')
  scope: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Expiry of the token, never after that of its parent. */
  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;
}
