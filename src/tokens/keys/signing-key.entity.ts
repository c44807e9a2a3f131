import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('signing_keys')
export class SigningKey {
  /** RFC 7638 thumbprint of the public key. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_signing_keys' })
  kid: string;

  @Column('jsonb')
  publicJwk: { kty: 'RSA'; n: string; e: string };

  /** PKCS #8 PEM in a secret box. */
  @Column('text')
  sealedPrivateKey: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Signs from here on; published from `createdAt`, so that cached key sets know it at that time. */
  @Column('timestamptz')
  activatesAt: Date;

  /** Leaves the key set here: no token signed with it is alive any more. */
  @Column('timestamptz', { nullable: true })
  retiresAt: Date | null;
}
