import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import Handlebars from 'handlebars';
import request from 'supertest';
import { Assets } from '../../../../src/common/pages/assets/assets.js';
import { apiReference } from '../../../../src/docs/api-reference.js';
import { designSample } from '../../../../src/embedded/dev/design-sample.js';
import { Messages } from '../../../../src/common/i18n/messages.js';
import type { Page, PageLayout } from '../../../../src/common/pages/page.js';
import { PageRenderer } from '../../../../src/common/pages/page-renderer.js';
import { SystemRandomness } from '../../../../src/common/system-randomness.js';
import { contentViews, hostileChart } from '../../../support/console-views.js';
import { consoleAppViews } from '../../../support/console-app-views.js';

const VIEWS = new URL('../../../../views/', import.meta.url);
/** Hostile in text, in attributes, in style and in scripts. */
const X = `"><script>alert(1)</script><img src=x onerror=alert(1)>'\`</style></title>`;

const brand = { appName: X, tenantName: X, primaryColor: X, logo: null, logoHeight: 40 };
const form = { action: X, formToken: X };
const account = { signedInAs: X, switchAction: X, formToken: X, shownTo: X };
const tokens = { accessToken: X, refreshToken: X, previousRefreshToken: X, idToken: X };
const pkce = { state: X, codeVerifier: X, codeChallenge: X };
const call = { what: X, status: 401, body: X };
const jwt = { parts: { header: X, claims: X, signature: X }, header: X, claims: X };
const ids = { code: X, state: X, error: X, appId: X, redirectUri: X, loginUrl: X };

const listed = [{ name: X, since: { words: X, iso: X, utc: X } }];
const oneError = [{ field: 'email', message: X }];
const providers = ['google', 'microsoft', 'github', 'apple'].map((name) => ({
  label: X,
  mark: `mark-${name}`,
  href: X,
  isLast: true,
}));
const waysBeside = {
  passkeyAction: X,
  passkeyIsLast: true,
  emailAutocomplete: 'username webauthn',
  forgotUrl: X,
  signUpUrl: X,
  invitedUrl: X,
  magicLinkAction: X,
  takesPassword: true,
  again: X,
  passwordIsLast: true,
  mayFocus: true,
  providers,
  lastProvider: providers[0],
  otherProviders: providers.slice(1),
};

const when = { words: X, iso: X, utc: X };
const device = {
  id: X,
  kind: X,
  isThis: false,
  what: X,
  detail: X,
  note: X,
  acting: X,
  ip: X,
  since: when,
  lastUsed: when,
};
const link = { id: X, label: X, mark: 'mark-google', email: X, since: when };
const pushDevice = { id: X, app: X, platform: X, since: when, lastSeen: when };
const ownApp = {
  id: X,
  name: X,
  tenant: X,
  roles: X,
  status: X,
  isActive: false,
  lastSignIn: when,
  hasActs: true,
  claimedName: X,
  publisher: X,
  leadsTo: X,
  isOnDevice: true,
  consent: {
    scopes: [
      { words: X, scope: X },
      { words: null, scope: X },
    ],
    since: when,
  },
  openUrl: X,
  canLeave: true,
};
const languages = [
  { value: '', label: null, isChosen: true },
  { value: 'pt-BR', label: X, isChosen: false },
];
const passkey = { id: X, name: X, model: X, kind: X, since: when, lastUsed: when };
const deletion = { errors: [{ field: 'email', message: X }], typed: X, email: X, days: 7, due: null, whyNot: null };
const overview = {
  signedInAs: X,
  formToken: X,
  notice: X,
  errors: [{ field: 'display_name', message: X }],
  displayName: X,
  language: languages[1],
  email: X,
  emailVerified: false,
  deletion: { failed: false, due: when, isOffered: true },
  hasPassword: true,
  secondFactor: { failed: false, isOn: true, since: when, codesLeft: 2, isLow: true },
  passkeys: {
    failed: false,
    isEmpty: false,
    shown: [passkey],
    rest: [{ ...passkey, model: '', lastUsed: null }],
    hasRest: true,
    lost: { since: when, until: when },
    isOffered: true,
    signals: X,
    isHidden: false,
  },
  linked: {
    failed: false,
    isEmpty: false,
    shown: [link],
    rest: [link],
    hasRest: true,
    linkable: [{ ...link, href: X }],
    isOffered: true,
  },
  sessions: {
    failed: false,
    shown: [device, { ...device, isThis: true }],
    rest: [device],
    hasRest: true,
    hasOthers: true,
  },
  devices: { failed: false, isEmpty: false, shown: [pushDevice], rest: [pushDevice], hasRest: true },
  apps: { failed: false, isEmpty: false, shown: [ownApp], rest: [ownApp], hasRest: true },
};
const failed = { failed: true, isHidden: false, requestId: X };

const ACCOUNT_PAGES: readonly { view: string; layout?: PageLayout; model: Page['model'] }[] = [
  { view: 'account/overview', layout: 'account', model: overview },
  {
    view: 'account/overview',
    layout: 'account',
    model: {
      ...overview,
      notice: null,
      errors: [],
      hasPassword: false,
      secondFactor: failed,
      passkeys: failed,
      linked: failed,
      sessions: failed,
      devices: failed,
      apps: failed,
    },
  },
  { view: 'account/profile', model: { ...account, errors: oneError, displayName: X, languages } },
  { view: 'account/password', model: { ...account, errors: oneError, hasPassword: true, minPasswordLength: 8 } },
  { view: 'account/password', model: { ...account, errors: [], hasPassword: false, minPasswordLength: 8 } },
  { view: 'account/passkey-new', model: { ...account, errors: oneError } },
  {
    view: 'account/passkey',
    model: { ...account, ...passkey, errors: oneError, typed: X, maxLength: 60, isLastWayIn: true },
  },
  {
    view: 'account/activity',
    layout: 'account',
    model: { ...account, rows: [{ what: X, when, ip: X, browser: X }] },
  },
  { view: 'account/delete', model: { ...account, ...deletion } },
  { view: 'account/delete', model: { ...account, ...deletion, due: when } },
  { view: 'account/delete', model: { ...account, ...deletion, whyNot: X } },
  { view: 'sign-in/keep-account', model: { ...form, due: when, signedInAs: X, shownTo: X } },
  { view: 'account/email', model: { ...account, errors: oneError, email: X, emailVerified: true, typed: X } },
  { view: 'account/email-code', model: { ...account, errors: oneError, newEmail: X } },
  {
    view: 'sign-in/stop-email-change',
    model: { token: X, formToken: X, oldEmail: X, newEmail: X, isDone: true, removed: listed, kept: listed },
  },
  { view: 'sign-in/stop-credential', model: { token: X, formToken: X, removed: listed, kept: listed } },
  { view: 'sign-in/stopped', model: { heading: X, message: X, action: { href: X, label: X }, kept: listed } },
  { view: 'account/leave-app', model: { ...account, errors: [], appId: X, app: X, tenant: X } },
  {
    view: 'account/second-factor',
    model: {
      ...form,
      signedInAs: X,
      triesLeft: X,
      errors: oneError,
      qr: X,
      secret: X,
      secretGroups: [X, X],
      otpauthUri: X,
    },
  },
  {
    view: 'account/second-factor-code',
    model: {
      ...form,
      signedInAs: X,
      heading: X,
      lead: X,
      button: X,
      triesLeft: X,
      backup: true,
      errors: [{ field: 'code', message: X }],
    },
  },
  {
    view: 'account/backup-codes',
    model: { signedInAs: X, codes: [X], codesText: X, fileText: X, nextUrl: X, done: X },
  },
  { view: 'account/signed-out', model: { heading: X, message: X } },
];

const frame = {
  signedInAs: X,
  signOutToken: X,
  path: X,
  themes: [{ name: X, label: X, icon: 'sun', isCurrent: true }],
  navigation: [{ heading: X, items: [{ label: X, href: X, icon: 'house', isCurrent: true, count: X }] }],
  crumbs: [{ label: X, href: X }],
  title: X,
  search: X,
  refreshSeconds: 5,
  flash: { kind: X, text: X, icon: 'check' },
  tenantName: X,
  waiting: { shown: X, isOne: true },
  maySwitch: true,
  switchUrl: X,
  impersonation: { kind: X, name: X, reason: X, minutesLeft: 2, exitAction: X, formToken: X },
};
const columns = [{ label: X, className: X, href: X, sorted: X }];
const pager = { page: 2, previousUrl: X, nextUrl: X, words: X, sizes: [{ label: X, href: X, isCurrent: false }] };
const tenantRow = { name: X, slug: X, id: X, isActive: false, appCount: 1200, userCount: 1, href: X, isPicked: true };

const tenantPage = {
  tabs: [{ label: X, href: X, isCurrent: true }],
  tenant: { id: X, name: X, slug: X, isActive: true, actUrl: X },
};

const CONSOLE_VIEWS: Readonly<Record<string, Page['model']>> = {
  ...contentViews(X),
  ...consoleAppViews(X),
  overview: {
    isPlatformAdmin: false,
    chosenTenant: X,
    numbers: {
      charts: [hostileChart(X)],
      chartedApp: X,
      period: X,
      periods: [{ label: X, href: X, isCurrent: true }],
      groups: [{ label: X, options: [{ value: X, label: X, isChosen: true }] }],
      appSearch: X,
      isSearchable: true,
      tiles: [{ label: X, value: X, change: X }],
    },
    steps: [{ label: X, href: X, isDone: false }],
    failingWebhooks: [{ name: X, href: X, words: X }],
    deadJobs: 2,
    exampleData: { action: '/dev/example-data', formToken: X },
    isCalm: true,
    activity: [{ parts: [{ text: X, isName: true }], text: X, href: X, when }],
    appColumns: columns,
    allAppsUrl: X,
    appCount: 1,
    mayCreateApp: true,
    apps: [{ name: X, id: X, tenantName: X, bundleId: X, isActive: true }],
  },
  'tenants/pick': { all: { href: X, isPicked: false }, tenants: [tenantRow], pager },
  'tenants/list': { q: X, columns, total: 1, tenants: [tenantRow], pager },
  'tenants/new': { name: X, slug: X, admin_email: X, support_email: X, errors: [{ field: 'slug', message: X }] },
  'tenants/settings': {
    ...tenantPage,
    errors: [{ field: 'slug', message: X }],
    consoleAppId: X,
    appCount: 1,
    userCount: 2,
    created: when,
    settingChanges: { latest: { lines: [X], note: X, href: X }, planned: [{ settings: X, from: X }] },
    mayWait: true,
    confirmUrl: X,
    mayRename: true,
    values: {
      name: X,
      slug: X,
      min_password_length: X,
      weak_passwords: X,
      require_2fa: true,
      allow_account_deletion: true,
      support_email: X,
      default_locale: X,
      client_document_hosts: X,
      client_registration: true,
      passkey_aaguids: X,
      resources: X,
      offer_passkeys: true,
      passkey_recovery_days: X,
    },
    weakPasswords: [{ value: X, label: X, isChosen: true }],
  },
  'tenants/admins': {
    ...tenantPage,
    errors: [{ field: 'email', message: X }],
    email: X,
    q: X,
    columns,
    total: 1,
    members: [{ name: X, email: X, state: X, tone: X, since: when, href: X, removeUrl: X }],
    pager,
  },
  'tenants/apps': {
    ...tenantPage,
    columns,
    total: 1,
    apps: [{ id: X, name: X, bundleId: X, isActive: true, isConsoleApp: false, actUrl: X }],
    pager,
  },
  'tenants/data': { ...tenantPage, mayImport: true },
  'tenants/import': { errors: [{ field: 'file', message: X }], document: X },
  'tenants/import-plan': {
    startUrl: X,
    name: X,
    slug: X,
    groups: [{ title: X, count: 30, columns, noteLabel: X, rows: [{ name: X, note: X }], more: 10, isOpen: true }],
  },
  'audit/log': {
    errors: [{ field: 'action', message: X }],
    filter: {
      ...{ person: X, from: X, to: X, app_q: X, isSearchable: true, hidden: [{ name: X, value: X }] },
      actions: [{ label: X, options: [{ value: X, label: X, isChosen: true }] }],
      actors: [{ value: X, label: X, isChosen: true }],
      apps: [{ label: X, options: [{ value: X, label: X, isChosen: true }] }],
      ranges: [{ label: X, href: X, isCurrent: true }],
    },
    path: X,
    isFiltered: true,
    users: [{ name: X, email: X, href: X }],
    columns,
    entries: [
      {
        id: X,
        action: X,
        text: X,
        parts: [
          { text: X, isName: true, href: X },
          { text: X, isName: false, href: null },
        ],
        tone: X,
        outcome: { text: X, tone: X },
        when,
        app: { text: X, href: X },
        tenant: { text: X, href: X },
        from: X,
        on: X,
        userAgent: X,
        facts: [{ label: X, value: X, href: X }],
        comparison: { lines: [X], note: X },
        metadata: X,
        hasMetadata: true,
        filters: [{ label: X, href: X }],
      },
    ],
    exports: [{ label: X, href: X }],
    pager,
    checkable: { id: X, name: X },
  },
  'invites/list': {
    confirmUrl: X,
    newUrl: X,
    auditUrl: X,
    apps: [{ label: X, options: [{ value: X, label: X, isChosen: true }] }],
    appSearch: X,
    isSearchable: true,
    q: X,
    isCut: true,
    states: [{ value: X, label: X, isChosen: true }],
    isFiltered: true,
    columns,
    invites: [
      {
        who: X,
        roles: X,
        appName: X,
        appUrl: X,
        tenantName: X,
        code: X,
        link: X,
        isCodeWithheld: true,
        state: { text: X, tone: X },
        used: X,
        ends: when,
        resendUrl: X,
        revokeUrl: X,
      },
    ],
    pager,
  },
  'invites/new': {
    apps: [{ label: X, options: [{ value: X, label: X, isChosen: true }] }],
    appSearch: X,
    isSearchable: true,
    errors: [{ field: 'app_id', message: X }],
    hasApps: true,
  },
  'account/own': {
    email: X,
    userId: X,
    isPlatformAdmin: false,
    isActing: true,
    rights: [{ what: X, names: [X, X], count: 3, more: 1 }],
  },
  'search/results': { text: X, groups: [{ title: X, hits: [{ label: X, note: X, href: X, icon: 'users' }] }] },
  problem: { heading: X, message: X, requestId: X, retryUrl: X },
  confirm: {
    heading: X,
    lead: X,
    impact: [{ label: X, value: X }],
    typeToConfirm: X,
    reasonLabel: X,
    reason: X,
    action: X,
    hidden: [{ name: X, value: X }],
    button: X,
    isDanger: true,
    cancelUrl: X,
    cancelLabel: X,
    errors: [{ field: 'reason', message: X }],
  },
};
const CONSOLE_PAGES: readonly { view: string; layout?: PageLayout; model: Page['model'] }[] = [
  ...Object.entries(CONSOLE_VIEWS).map(([view, model]) => ({
    view: `console/${view}`,
    layout: 'console' as const,
    model: { errors: [], formToken: X, frame, ...model },
  })),
  { view: 'console/sign-out', model: { formToken: X } },
  { view: 'console/confirm-identity', model: { formToken: X, to: X, email: X } },
];

/** Every view with a model in which each string is hostile. */
const PAGES: readonly { view: string; layout?: PageLayout; model: Page['model'] }[] = [
  {
    view: 'sign-in/password',
    model: {
      ...form,
      email: X,
      emailLocked: true,
      errors: oneError,
      forAccount: true,
      otherMethodsUrl: X,
      lostPasskey: { app: X, isForDevice: false },
      onlyWay: { url: X, label: X },
      confirmsAs: X,
      switchAction: X,
      ...waysBeside,
    },
  },
  ...[true, false].map((takesPassword) => ({
    view: 'sign-in/sign-up',
    model: {
      ...form,
      email: X,
      displayName: X,
      takesPassword,
      minPasswordLength: 8,
      needsApproval: true,
      passkeyAction: X,
      unknownId: X,
      rpId: X,
      signInUrl: X,
      errors: oneError,
    },
  })),
  {
    view: 'sign-in/passkey',
    model: {
      ...form,
      again: null,
      errors: oneError,
      unknownId: X,
      rpId: X,
      signInUrl: X,
      signUpUrl: X,
      invitedUrl: X,
      otherMethodsUrl: X,
      lostPasskey: { app: X, isForDevice: true },
      confirmsAs: X,
      switchAction: X,
      providers,
      passkeyAction: X,
      passkeyIsLast: false,
    },
  },
  { view: 'sign-in/forgot', model: { ...form, email: X, signInUrl: X, errors: oneError } },
  {
    view: 'sign-in/ask-magic-link',
    model: {
      ...form,
      email: X,
      signInUrl: X,
      invitedUrl: null,
      signUpUrl: null,
      otherMethodsUrl: null,
      lostPasskey: null,
      confirmsAs: null,
      switchAction: X,
      again: null,
      errors: oneError,
      providers,
      passkeyAction: null,
      passkeyIsLast: false,
      emailAutocomplete: 'username',
    },
  },
  {
    view: 'sign-in/ask-magic-link',
    model: {
      ...form,
      email: X,
      signInUrl: null,
      invitedUrl: X,
      signUpUrl: X,
      otherMethodsUrl: X,
      lostPasskey: null,
      confirmsAs: X,
      switchAction: X,
      again: X,
      errors: oneError,
      providers,
      passkeyAction: X,
      passkeyIsLast: true,
      emailAutocomplete: 'username webauthn',
    },
  },
  {
    view: 'sign-in/provider-refused',
    model: { heading: X, message: X, signInUrl: X, backUrl: X, backLabel: X, accountUrl: X },
  },
  { view: 'sign-in/provider-link', model: { ...form, label: X, email: X, backUrl: X } },
  {
    view: 'sign-in/provider-invite',
    model: {
      ...form,
      oauthToken: X,
      code: X,
      asksForCode: true,
      backUrl: X,
      displayName: X,
      email: X,
      label: X,
      errors: oneError,
    },
  },
  {
    view: 'dev/provider',
    layout: 'dev',
    model: { ...form, provider: X, setting: X, email: X, parameters: [{ name: X, value: X }], errors: oneError },
  },
  {
    view: 'dev/provider-done',
    layout: 'dev',
    model: { ...form, provider: X, location: X, posts: false, code: X, state: X },
  },
  {
    view: 'dev/provider-done',
    layout: 'dev',
    model: { ...form, provider: X, location: X, posts: true, code: X, state: X },
  },
  { view: 'sign-in/mailbox', model: { heading: X, message: X, signInUrl: X } },
  { view: 'sign-in/magic-link', model: { ...form, token: X, email: X, otherEmail: X } },
  {
    view: 'sign-in/link-spent',
    model: { heading: X, message: X, again: { ...form, token: X }, action: { href: X, label: X } },
  },
  { view: 'sign-in/link-unknown', model: { heading: X, message: X, accountUrl: X } },
  { view: 'sign-in/onward', model: { href: X } },
  { view: 'sign-in/done', model: { heading: X, message: X, action: { href: X, label: X } } },
  { view: 'sign-in/done', model: { heading: X, message: X, action: null } },
  { view: 'sign-in/reset-password', model: { ...form, token: X, minPasswordLength: 8, errors: oneError } },
  ...[true, false].map((asksWho) => ({
    view: 'sign-in/verify-email',
    model: {
      ...form,
      email: X,
      appName: X,
      day: X,
      asksWho,
      token: X,
      mayDisown: true,
      removed: [{ name: X, since: null }],
      kept: [{ name: X, since: null }],
    },
  })),
  ...['isOffered', 'isWaiting', 'isDue', 'isRefused', 'confirmUrl'].map((shown) => ({
    view: 'sign-in/passkey-recovery',
    model: {
      ...form,
      ...account,
      isOffered: false,
      isWaiting: false,
      isDue: false,
      [shown]: true,
      confirmUrl: shown === 'confirmUrl' ? X : null,
      asksPassword: shown === 'confirmUrl',
      days: 7,
      daysLeft: 1,
      backUrl: X,
      errors: oneError,
    },
  })),
  { view: 'sign-in/stop-passkey-recovery', model: { token: X, formToken: X } },
  {
    view: 'sign-in/second-factor',
    model: {
      ...form,
      ...account,
      asksForCode: true,
      lostUrl: null,
      passkeyAction: X,
      skipAction: X,
      passkeyIsLast: false,
      triesLeft: X,
      backup: true,
      errors: [{ field: 'code', message: X }],
    },
  },
  {
    view: 'sign-in/second-factor',
    model: {
      ...form,
      ...account,
      asksForCode: false,
      lostUrl: X,
      passkeyAction: X,
      skipAction: null,
      passkeyIsLast: false,
      triesLeft: null,
      backup: false,
      errors: oneError,
    },
  },
  { view: 'sign-in/offer-passkey', model: { ...form, ...account, errors: oneError } },
  {
    view: 'sign-in/second-factor-setup',
    model: {
      ...form,
      ...account,
      triesLeft: X,
      errors: oneError,
      qr: X,
      secret: X,
      secretGroups: [X, X],
      otpauthUri: X,
    },
  },
  { view: 'sign-in/backup-codes', model: { signedInAs: X, codes: [X, X], codesText: X, fileText: X, nextUrl: X } },
  ...ACCOUNT_PAGES,
  {
    view: 'dev/push',
    layout: 'dev',
    model: { pushes: [{ title: X, device: X, when, payload: X }] },
  },
  {
    view: 'dev/push-demo',
    layout: 'dev',
    model: { accessToken: X, fault: X, sent: X, appId: X, vapidKey: X, loginUrl: X, formToken: X },
  },
  {
    view: 'dev/mailbox',
    layout: 'dev',
    model: {
      to: X,
      mails: [{ to: X, subject: X, when, href: X, isOpen: true }],
      open: { id: X, to: X, subject: X, when, text: X, isText: true, link: X, htmlHref: X, textHref: X },
    },
  },
  {
    view: 'dev/start',
    layout: 'dev',
    model: { hasAdmin: false, hasExample: false, fill: { action: '/dev/example-data', formToken: X } },
  },
  { view: 'sign-in/form-post', model: { target: X, fields: [{ name: X, value: X }] } },
  { view: 'sign-in/device', model: { formToken: X, code: X, errors: [{ field: 'user_code', message: X }] } },
  { view: 'sign-in/device-spent', model: {} },
  {
    view: 'sign-in/approve-device',
    model: { ...form, ...account, code: X, program: X, network: X, api: X, asked: when },
  },
  ...[true, false].map((isSelfRegistered) => ({
    view: 'sign-in/consent',
    model: {
      ...form,
      ...account,
      client: X,
      tenant: X,
      isSelfRegistered,
      isRegistered: isSelfRegistered,
      claimedName: isSelfRegistered ? X : null,
      hasNotes: true,
      onDevice: true,
      otherHost: X,
      replaced: isSelfRegistered ? X : null,
      api: isSelfRegistered ? X : null,
      provesIdentity: true,
      scopes: [
        { id: X, words: X, scope: X, fixed: false },
        { id: X, words: null, scope: X, fixed: true },
      ],
    },
  })),
  { view: 'sign-in/confirm', model: { ...form, ...account, told: [X], backUrl: X } },
  { view: 'sign-in/confirm', model: { ...form, ...account, told: null, backUrl: X } },
  { view: 'sign-in/join', model: { ...form, ...account } },
  {
    view: 'sign-in/logout',
    model: { signedInAs: X, appName: X, goesOn: true, clientId: X, target: X, state: X, formToken: X },
  },
  {
    view: 'sign-in/request-access',
    model: { ...form, ...account, message: X, inviteUrl: X, backUrl: X, errors: oneError },
  },
  ...[true, false].map((brought) => ({
    view: 'sign-in/invite',
    model: { ...form, ...account, code: X, brought, isMember: false, backUrl: X, errors: oneError },
  })),
  ...[true, false].map((isPasskeyOptional) => ({
    view: 'sign-in/invited-sign-up',
    model: {
      ...form,
      code: X,
      email: X,
      displayName: X,
      takesPassword: isPasskeyOptional,
      isPasskeyOptional,
      passkeyAction: X,
      unknownId: X,
      rpId: X,
      minPasswordLength: 8,
      signInUrl: X,
      backUrl: X,
      providers,
      errors: oneError,
    },
  })),
  ...[true, false].map((continues) => ({
    view: 'sign-in/invitation',
    model: {
      invitedBy: X,
      email: X,
      hasRoles: true,
      roles: X,
      ends: when,
      continues,
      signedInAs: X,
      mayCreateAccount: true,
      code: X,
      formToken: X,
    },
  })),
  {
    view: 'sign-in/email-not-verified',
    model: { ...form, ...account, isSent: true, sendUrl: X, continueUrl: X, backUrl: X },
  },
  { view: 'sign-in/no-access', model: { ...account, heading: X, message: X, backUrl: X, backLabel: X } },
  {
    view: 'errors/error',
    model: {
      heading: X,
      message: X,
      developer: { parameter: X, received: X, fix: X },
      requestId: X,
      backUrl: X,
      backLabel: X,
    },
  },
  {
    view: 'setup/first-admin',
    model: { ...form, errors: [{ field: null, message: X }], email: X, displayName: X, minPasswordLength: 8 },
  },
  { view: 'setup/unavailable', model: { heading: X } },
  ...CONSOLE_PAGES,
  {
    view: 'dev/playground',
    layout: 'dev',
    model: {
      ...ids,
      tokens,
      begun: pkce,
      next: pkce,
      results: { exchange: call, verify: call, userinfo: call, refresh: call, replay: call, revoke: call },
      access: jwt,
      id: jwt,
      lifetime: X,
      actions: X,
      formToken: X,
    },
  },
  { view: 'dev/design', layout: 'dev', model: { samples: [designSample('light'), designSample('dark')] } },
  {
    view: 'dev/api-reference',
    layout: 'dev',
    model: {
      version: X,
      ...apiReference({
        paths: {
          [X]: {
            get: {
              tags: [X],
              summary: X,
              description: X,
              security: [{}],
              parameters: [{ name: X, in: X, description: X, schema: { type: X } }],
              requestBody: { content: { [X]: { schema: { $ref: X } } } },
              responses: {
                [X]: { description: X, content: { [X]: { schema: { type: 'array', items: { $ref: X } } } } },
              },
            },
          },
        },
        components: { schemas: { [X]: { properties: { [X]: { enum: [X], description: X } } } } },
      }),
    },
  },
];

const renderer = new PageRenderer(new Assets(), new SystemRandomness(), new Messages());

async function rendered(page: Omit<Page, 'title'>, language = 'en'): Promise<string> {
  const app = express();
  app.get('/', (_request, response) => {
    renderer.send(response, { ...page, title: X }).catch((error: Error) => response.status(599).send(error.message));
  });
  const { status, text } = await request(app).get('/').set('Accept-Language', language);
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  return text;
}

describe.each(PAGES)('View $view', (page) => {
  it('shows hostile strings as text', async () => {
    const html = await rendered({ ...page, brand });
    expect(html).toContain('&lt;script&gt;alert(1)');
    expect(html).not.toContain('<script>alert');
    expect(html).not.toContain('<img src=x');
    expect(html.match(/<\/style>/g)).toHaveLength(1);
    expect(html.match(/<\/title>/g)).toHaveLength(html.match(/<title>/g)!.length);
  });

  it('has one h1, a language, a main landmark and a skip link', async () => {
    const html = await rendered({ ...page, brand });
    expect(html.match(/<h1[ >]/g)).toHaveLength(1);
    expect(html).toMatch(/<html lang="en"[ >]/);
    expect(html.match(/<main id="main"/g)).toHaveLength(1);
    expect(html).toContain('href="#main"');
  });

  it('protects every form that posts with the form token', async () => {
    const html = await rendered({ ...page, brand });
    const forms = html.match(/<form [\s\S]*?<\/form>/g) ?? [];
    for (const one of forms) {
      // There the stand-in for Apple posts to our callback, as Apple does from its own site.
      if (page.view === 'dev/provider-done') continue;
      // A mailed link's page submits by GET: the token in it is the proof, and nothing of the browser's is used.
      // The box under the backup codes only leads on; a search changes nothing.
      if (one.includes('method="get"'))
        expect(one).toMatch(/name="(?:token|kept|q|action|address|app|app_q|app_id|status|to)"/);
      // The one form that leads to an app and not to us: our token is none of its business.
      else if (page.view === 'sign-in/form-post') expect(one).not.toContain('form_token');
      else expect(one).toMatch(/method="post"[\s\S]*name="form_token"/);
    }
  });

  it('renders for a page without its own brand', async () => {
    expect(await rendered(page)).toContain('Identity Broker');
  });
});

const TEXT_ATTRIBUTES =
  /\s(?:title|aria-label|alt|data-hide|data-hide-label|data-copied|data-caps-lock-text)="([^"]*)"/g;

/** What a user reads on a page or hears of it, without what the model brought along. */
function spokenOn(html: string): string {
  const plain = html
    .replaceAll(Handlebars.escapeExpression(X), '')
    .replace(/<section[^>]* lang="en">[\s\S]*?<\/section>/g, '')
    .replace(/<span class="monogram"[\s\S]*?<\/span>/g, '')
    .replace(/<(style|script|svg)[\s\S]*?<\/\1>/g, '');
  const attributes = [...plain.matchAll(TEXT_ATTRIBUTES)].map(([, text]) => text);
  return [plain.replace(/<[^>]*>/g, ' '), ...attributes].join(' ').replace(/&[#\w]+;/g, ' ');
}

describe.each(PAGES.filter(({ view }) => !/^(?:console|dev)\//.test(view)))('View $view for users', (page) => {
  it('is completely in the language of the page', async () => {
    const html = await rendered({ ...page, brand }, 'en-XA');
    expect(html).toContain('<html lang="en-XA">');
    expect(/[A-Za-z].*/.exec(spokenOn(html))?.[0]).toBeUndefined();
  });
});

describe('Views for operators and developers', () => {
  it.each(['dev/provider', 'console/sign-out', 'console/overview'])('are in English: %s', async (view) => {
    const page = PAGES.find((each) => each.view === view)!;
    expect(await rendered(page, 'en-XA')).toMatch(/<html lang="en"[ >]/);
  });
});

describe('All views', () => {
  // Mails are not pages: their text parts are not HTML.
  const files = readdirSync(VIEWS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.hbs') && !name.startsWith('mail'))
    .map((name) => ({ name, source: readFileSync(new URL(name, VIEWS), 'utf8') }));

  it('print unescaped values only in the layouts, and there only the body', () => {
    expect(files.length).toBeGreaterThan(10);
    for (const { name, source } of files) {
      const raw = source.match(/\{\{~?(\{|&).*?\}\}/g) ?? [];
      expect({ name, raw }).toEqual({ name, raw: name.startsWith('layouts') ? ['{{{body}}'] : [] });
    }
  });

  it('post to a destructive action only from its confirmation', () => {
    const DESTROYS =
      /\/(?:remove|revoke|resend|deny|suspend|discard|end|delete|reset|promote|secret|off|rotate[a-z-]*)$/;
    const console = files.filter(({ name }) => name.startsWith('console/'));
    const posts = console.flatMap(({ name, source }) =>
      [...source.matchAll(/<form[^>]*method="post"[^>]*>/g)].map(([form]) => ({
        name,
        action: /action="([^"]*)"/.exec(form)![1]!,
      })),
    );
    expect(posts.length).toBeGreaterThan(20);
    expect(posts.filter(({ action }) => DESTROYS.test(action))).toEqual([]);
  });

  it('contain no inline handler and no inline style, which the policy would block', () => {
    for (const { name, source } of files) {
      expect({ name, found: source.match(/\s(on[a-z]+|style)=/g) }).toEqual({ name, found: null });
    }
  });
});
