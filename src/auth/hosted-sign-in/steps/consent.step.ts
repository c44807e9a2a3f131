import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/app-directory.js';
import { isSelfRegistered } from '../../../apps/app-origin.rules.js';
import { type Message, message } from '../../../common/i18n/message.js';
import { parseUrl } from '../../../common/validation/parse-url.js';
import { isLoopbackHost } from '../../../config/loopback.rules.js';
import { ALWAYS_GRANTED, askedScopes } from '../../../tokens/grants/consent.rules.js';
import { findResource } from '../../../tokens/protocol/resource.rules.js';
import { AskedConsents } from '../asked-consents.service.js';
import { ConsentAnswers } from '../consent-answers.service.js';
import { type SignInState, SignInStep, type StepOutcome, type StepPage, type StepSubmission } from '../sign-in-step.js';

const FIELD = 'scope_';

/** "Allow access?": what an app gets that is not the tenant's own, scope by scope. */
@Injectable()
export class ConsentStep extends SignInStep {
  readonly name = 'consent';

  constructor(
    private readonly asked: AskedConsents,
    private readonly answers: ConsentAnswers,
  ) {
    super();
  }

  async page({ attempt, client, user }: SignInState): Promise<StepPage> {
    const access = await this.asked.accessOf(attempt);
    const { app, tenant } = client;
    const host = app.metadataUrl === null ? null : (parseUrl(app.metadataUrl)?.host ?? null);
    const resource = access?.resource ? findResource(client, access.resource) : null;
    const scopes = askedScopes(access?.scope ?? null);
    return {
      view: 'sign-in/consent',
      title: message('sign-in.consent.title', { app: host ?? app.name }),
      model: {
        client: host ?? app.name,
        tenant: tenant.name,
        isSelfRegistered: isSelfRegistered(app),
        isOnlyHere: isLoopbackOnly(client),
        api: resource?.name ?? null,
        provesIdentity: scopes.includes(ALWAYS_GRANTED),
        scopes: scopes
          .filter((scope) => scope !== ALWAYS_GRANTED)
          .map((scope) => ({ id: `${FIELD}${scope}`, words: WORDS[scope] ?? null, scope })),
        signedInAs: user?.email ?? '',
      },
    };
  }

  async submit({ ctx, state, form }: StepSubmission): Promise<StepOutcome> {
    const { attempt, user } = state;
    const access = await this.asked.accessOf(attempt);
    if (!user || !access) return { kind: 'continue' };
    if (form['answer'] === 'allow') {
      const allowed = askedScopes(access.scope).filter(
        (scope) => scope === ALWAYS_GRANTED || form[`${FIELD}${scope}`] === 'on',
      );
      await this.answers.allow(ctx, { ...state, user }, access, allowed);
      return { kind: 'continue' };
    }
    await this.answers.deny(ctx, { ...state, user });
    return attempt.request.purpose === 'device' ? { kind: 'show', page: DENIED } : { kind: 'continue' };
  }
}

const DENIED: StepPage = {
  view: 'sign-in/done',
  title: message('sign-in.approve_device.denied'),
  model: {
    heading: message('sign-in.approve_device.denied'),
    message: message('sign-in.approve_device.denied_lead'),
    action: null,
  },
};

const WORDS: Readonly<Record<string, Message>> = {
  profile: message('sign-in.consent.profile'),
  email: message('sign-in.consent.email'),
  roles: message('sign-in.consent.roles'),
  offline_access: message('sign-in.consent.offline_access'),
};

/** Any program on the user's own computer could be behind such an address (RFC 8252 section 8.6). */
function isLoopbackOnly({ redirectUris }: RegisteredClient): boolean {
  const hosts = redirectUris.map((uri) => parseUrl(uri)?.hostname ?? '');
  return hosts.length > 0 && hosts.every(isLoopbackHost);
}
