import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('signing_keys')
export class SigningKey {
  /** RFC 7638 thumbprint of the public key. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_signing_keys' })
  kid: string;

  @Column('jsonb')
  publicJwk: { kty: 'RSA'; n: string; e: string };

  /** PKCS #8 PEM, encrypted. */
  @Column('text')
  sealedPrivateKey: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** When it begins to sign. It is published from `createdAt`, so that cached key sets contain it by that time. */
  @Column('timestamptz')
  activatesAt: Date;

  /** When it leaves the key set: no token that it signed is valid any more. */
  @Column('timestamptz', { nullable: true })
  retiresAt: Date | null;
}
