import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Metadata of a client that registered by a request (RFC 7591). Its apps in tenants refer to this row. */
@Entity('client_registrations')
@Index('ix_client_registrations_expires', ['expiresAt'])
export class ClientRegistration {
  /** The public `client_id` is derived from it by `registrationClientId`. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_client_registrations' })
  id: string;

  @Column('text', { array: true })
  redirectUris: string[];

  /** Name that the client claims. */
  @Column('text', { nullable: true })
  clientName: string | null;

  /** Network from which the client registered (IPv4 /24, IPv6 /48); null: unknown, as in rows of earlier versions. */
  @Column('text', { nullable: true })
  network: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** The row is removed after this time, unless an app refers to it. */
  @Column('timestamptz')
  expiresAt: Date;
}
