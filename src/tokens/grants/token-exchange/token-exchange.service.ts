import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Randomness } from '../../../common/randomness.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { ProtectedResource } from '../../../tenants/protected-resource.rules.js';
import type { ClientCredentials } from '../../clients/client-authenticator.js';
import { findResource } from '../../protocol/resource.rules.js';
import type { ExchangedTokenResponse } from '../../protocol/token-response.view.js';
import type { TokenRequest } from '../../protocol/token.dto.js';
import { ExchangeRefused, InvalidTarget } from '../../protocol/tokens.errors.js';
import { grantScopes } from '../client-credentials/grant-scopes.rules.js';
import { ExchangeClients } from './exchange-clients.js';
import { ExchangedTokens } from './exchanged-tokens.js';
import { required } from '../../protocol/required-field.js';
import { SubjectTokens } from './subject-tokens.js';
import { ACCESS_TOKEN_TYPE } from './token-exchange.rules.js';
import { TokenExchangeRecords } from './token-exchange-records.js';

type ExchangeRequest = Pick<
  TokenRequest,
  | 'subject_token'
  | 'subject_token_type'
  | 'requested_token_type'
  | 'actor_token'
  | 'actor_token_type'
  | 'resource'
  | 'audience'
  | 'scope'
>;

/** RFC 8693: the server of an app gets an access token for another API, for the user of a token that it received. */
@Injectable()
export class TokenExchangeService {
  constructor(
    private readonly exchangeClients: ExchangeClients,
    private readonly subjects: SubjectTokens,
    private readonly records: TokenExchangeRecords,
    private readonly tokens: ExchangedTokens,
    private readonly randomness: Randomness,
  ) {}

  /** @throws RateLimited, InvalidClient, UnauthorizedClient, ExchangeRefused, DpopProofRefused, InvalidTarget, InvalidScope */
  async exchange(
    ctx: RequestContext,
    credentials: ClientCredentials,
    request: ExchangeRequest,
  ): Promise<ExchangedTokenResponse> {
    const client = await this.exchangeClients.authenticate(ctx, credentials);
    const token = subjectTokenIn(request);
    const jkt = credentials.key?.jkt ?? null;
    const subject = await this.subjects.read(client, token, jkt);
    const target = targetOf(client, request, subject.claims.aud);
    const held = await this.subjects.scopesFor(subject, target);
    const scope = grantScopes(held, request.scope || null, held).join(' ');
    const lifetimeSeconds = target.token_lifetime_minutes * 60;
    const issued = { id: this.randomness.uuid(), resource: target.identifier, scope, lifetimeSeconds };
    await this.records.add(ctx, client, subject, issued);
    return this.tokens.sign(subject, { ...issued, clientId: client.app.id, jkt });
  }
}

/** The subject token of the request, if its type is known. @throws InvalidInput, ExchangeRefused */
function subjectTokenIn(request: ExchangeRequest): string {
  const token = required(request.subject_token, 'subject_token');
  if (required(request.subject_token_type, 'subject_token_type') !== ACCESS_TOKEN_TYPE)
    throw new ExchangeRefused(`subject_token_type must be ${ACCESS_TOKEN_TYPE}`);
  if ((request.requested_token_type || ACCESS_TOKEN_TYPE) !== ACCESS_TOKEN_TYPE)
    throw new ExchangeRefused(`requested_token_type must be ${ACCESS_TOKEN_TYPE}`);
  if (request.actor_token || request.actor_token_type)
    throw new ExchangeRefused('actor_token is not supported: the app that authenticates is the actor');
  return token;
}

/** The requested resource, if the app may request it; by default that of the token. @throws InvalidTarget */
function targetOf(
  client: RegisteredClient,
  { resource, audience }: ExchangeRequest,
  ofSubject: string,
): ProtectedResource {
  if (resource && audience && resource !== audience) throw new InvalidTarget();
  const target = findResource(client, resource || audience || ofSubject);
  if (!target) throw new InvalidTarget();
  return target;
}
