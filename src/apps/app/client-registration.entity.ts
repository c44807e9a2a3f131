import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What a client has said about itself (RFC 7591). The apps that stand for it in tenants refer to it. */
@Entity('client_registrations')
@Index('ix_client_registrations_expires', ['expiresAt'])
export class ClientRegistration {
  /** Its `client_id` outside is `registrationClientId` of it. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_client_registrations' })
  id: string;

  @Column('text', { array: true })
  redirectUris: string[];

  /** What it calls itself. */
  @Column('text', { nullable: true })
  clientName: string | null;

  /** Of who registered it, as coarse as a place; null: not known, as in rows of earlier versions. */
  @Column('text', { nullable: true })
  network: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** After that it is removed, unless an app refers to it. */
  @Column('timestamptz')
  expiresAt: Date;
}
