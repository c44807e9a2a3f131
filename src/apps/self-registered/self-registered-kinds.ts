import { Injectable } from '@nestjs/common';
import { ClientDocuments } from './client-documents.service.js';
import { ClientRegistrations } from './client-registrations.service.js';
import type { SelfRegisteredKind } from './self-registered-kind.js';

/** The ways for clients to register themselves. */
@Injectable()
export class SelfRegisteredKinds {
  constructor(
    private readonly documents: ClientDocuments,
    private readonly registrations: ClientRegistrations,
  ) {}

  /** Null: not the id of a self-registered client. */
  of(clientId: string): SelfRegisteredKind | null {
    return [this.documents, this.registrations].find((kind) => kind.keyOf(clientId) !== null) ?? null;
  }
}
