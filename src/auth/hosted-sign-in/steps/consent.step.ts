import { Injectable } from '@nestjs/common';
import { isSelfRegistered } from '../../../apps/app/app-origin.rules.js';
import { message } from '../../../common/i18n/message.js';
import { parseUrl } from '../../../common/validation/parse-url.js';
import { isLoopbackHost } from '../../../config/loopback.rules.js';
import { ALWAYS_GRANTED, requestedScopes, isAlwaysGranted } from '../../../tokens/grants/consent/consent.rules.js';
import { scopeInWords } from '../../../tokens/grants/consent/scope-words.js';
import { findResource } from '../../../tokens/protocol/resource.rules.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { ConsentCheck } from '../attempts/consent-check.service.js';
import type { AuthorizationRequest } from '../authorization-request/authorization-request.js';
import { ClientJoins } from '../completion/client-joins.js';
import { ConsentAnswers } from '../completion/consent-answers.service.js';
import { DEVICE_DENIED, DEVICE_CODE_USED } from '../pages/device-pages.js';
import { answersFor } from '../pages/shown-user.js';
import {
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../attempts/sign-in-step.js';

const FIELD = 'scope_';
/**
 * The publisher of a client that registered by a request: none, so every host of its redirect URI is shown as another
 * host.
 */
const NO_PUBLISHER = '';

/** "Allow access?": the user allows, scope by scope, the access of a client that does not belong to the tenant. */
@Injectable()
export class ConsentStep extends SignInStep {
  readonly name = 'consent';

  constructor(
    private readonly asked: ConsentCheck,
    private readonly answers: ConsentAnswers,
    private readonly joins: ClientJoins,
  ) {
    super();
  }

  async page({ attempt, client, user, entry }: SignInState): Promise<StepPage> {
    const access = await this.asked.accessOf(attempt);
    if (!access) return DEVICE_CODE_USED;
    const { app, tenant } = client;
    const host = app.metadataUrl === null ? null : (parseUrl(app.metadataUrl)?.host ?? null);
    const publisher = app.origin === 'dynamic_registration' ? NO_PUBLISHER : host;
    const resource = access.resource ? findResource(client, access.resource) : null;
    const scopes = requestedScopes(access.scope);
    const isJoining = user !== null && entry === 'not_enrolled' && isSelfRegistered(app);
    const replaced = isJoining ? await this.joins.findNextToLeave(user.id, app) : null;
    return {
      view: 'sign-in/consent',
      title: message('sign-in.consent.title', { app: host ?? app.name }),
      model: {
        client: host ?? app.name,
        isRegistered: app.origin === 'dynamic_registration',
        claimedName: app.claimedName,
        tenant: tenant.name,
        isSelfRegistered: isSelfRegistered(app),
        ...targetOf(attempt.request, publisher),
        hasNotes: isSelfRegistered(app) || targetOf(attempt.request, publisher).onDevice,
        replaced: replaced?.name ?? null,
        api: resource?.name ?? null,
        provesIdentity: scopes.includes(ALWAYS_GRANTED),
        scopes: scopes
          .filter((scope) => scope !== ALWAYS_GRANTED)
          .map((scope) => ({
            id: `${FIELD}${scope}`,
            ...scopeInWords(scope),
            fixed: isAlwaysGranted(scope),
          })),
        signedInAs: user?.email ?? '',
      },
    };
  }

  async submit(submission: StepSubmission): Promise<StepOutcome> {
    try {
      return await this.answer(submission);
    } catch (error) {
      if (error instanceof ProofOutdated) return { kind: 'continue' };
      throw error;
    }
  }

  private async answer({ ctx, state, form }: StepSubmission): Promise<StepOutcome> {
    const { attempt, user } = state;
    const access = await this.asked.accessOf(attempt);
    if (!user || !access || !answersFor(user, form)) return { kind: 'continue' };
    if (form['answer'] === 'allow') {
      const allowed = requestedScopes(access.scope).filter(
        (scope) => isAlwaysGranted(scope) || form[`${FIELD}${scope}`] === 'on',
      );
      await this.answers.allow(ctx, { ...state, user }, access, allowed);
      return { kind: 'continue' };
    }
    await this.answers.deny(ctx, { ...state, user });
    return attempt.request.purpose === 'device' ? { kind: 'show', page: DEVICE_DENIED } : { kind: 'continue' };
  }
}

/**
 * Where the result of this request is sent: `onDevice` if any program on the device could receive it (RFC 8252 section
 * 8.6), `otherHost` if the host is not the one that has published the client.
 */
function targetOf({ purpose, redirectUri }: AuthorizationRequest, publisher: string | null) {
  if (purpose === 'device') return { onDevice: false, otherHost: null };
  const url = parseUrl(redirectUri);
  if (!url || !/^https?:$/.test(url.protocol) || isLoopbackHost(url.hostname))
    return { onDevice: true, otherHost: null };
  return { onDevice: false, otherHost: publisher === null || url.host === publisher ? null : url.host };
}
