import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';
import { RefreshFamily } from '../token-family/refresh-family.entity.js';

/** An access token that an app has got in exchange for another one. It is good while its sign-in and all before it are. */
@Entity('token_exchanges')
@Index('ix_token_exchanges_family', ['familyId'])
@Index('ix_token_exchanges_parent', ['parentId'], { where: 'parent_id IS NOT NULL' })
@Index('ix_token_exchanges_actor_app', ['actorAppId'])
@Index('ix_token_exchanges_expires', ['expiresAt'])
export class TokenExchange {
  /** The `jti` of the token. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_token_exchanges' })
  id: string;

  /** The sign-in that the first token came from. */
  @ForeignKey(() => RefreshFamily, { name: 'fk_token_exchanges_family', onDelete: 'CASCADE' })
  @Column('uuid')
  familyId: string;

  /** The exchange that the presented token came from; null: the token of the sign-in itself. */
  @ForeignKey(() => TokenExchange, { name: 'fk_token_exchanges_parent', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  parentId: string | null;

  /** Whose server asked, and acts for the user. */
  @ForeignKey(() => App, { name: 'fk_token_exchanges_actor_app', onDelete: 'CASCADE' })
  @Column('uuid')
  actorAppId: string;

  /** The resource by whose server the token was received; null: it was issued to the app itself. */
  @Column('text', { nullable: true })
  servedResource: string | null;

  /** What the token is for. */
  @Column('text')
  resource: string;

  /** Space-separated, may be empty. */
  @Column('text')
  scope: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Of the token. Never later than that of its parent. */
  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;
}
