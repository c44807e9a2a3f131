// Makes and uses passkeys (WebAuthn). Pages show their buttons only where this file finds that they work.
/* global document, window, SimpleWebAuthnBrowser */
'use strict';

const webauthn = SimpleWebAuthnBrowser;

/** Asks for a challenge; null where the page is too old for one. @param names of the fields that it is for */
async function optionsFor(form, path, names = []) {
  const fields = ['form_token', ...names].map((name) => [name, form.elements[name].value]);
  const answer = await fetch(path, {
    method: 'POST',
    headers: { Accept: 'application/json' },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
  return answer.ok ? answer.json() : null;
}

function send(form, credential) {
  form.elements['credential'].value = JSON.stringify(credential);
  form.submit();
}

const WORDS = { NotAllowedError: 'cancelled', AbortError: 'cancelled', InvalidStateError: 'known' };

/** Shows a form's button, and runs the ceremony when it is pressed. */
function offer(form, path, ceremony, { names = [], refused = () => window.location.reload() } = {}) {
  const [button, status] = [form.querySelector('[data-passkey-button]'), form.querySelector('[data-passkey-status]')];
  button.addEventListener('click', async () => {
    if (button.getAttribute('aria-busy')) return;
    button.setAttribute('aria-busy', 'true');
    status.textContent = '';
    try {
      const optionsJSON = await optionsFor(form, path, names);
      if (!optionsJSON) return refused();
      send(form, await ceremony({ optionsJSON }));
    } catch (error) {
      const name = error.cause?.name ?? error.name;
      status.textContent = form.dataset[WORDS[name]] ?? form.dataset.failed;
      if (form.dataset.passkeyGet) void suggest(form);
    } finally {
      button.removeAttribute('aria-busy');
    }
  });
  for (const note of document.querySelectorAll('[data-passkey-unsupported]')) note.hidden = true;
  form.hidden = false;
  button.hidden = false;
}

const CHALLENGE_MS = 4.5 * 60_000; // a little less than the service takes it for
const WAITS = 12;

/** Lets the address field suggest passkeys, for an hour; the button interrupts it. */
async function suggest(form) {
  if (!document.querySelector('input[autocomplete~="webauthn"]')) return;
  if (!(await webauthn.browserSupportsWebAuthnAutofill())) return;
  for (let waits = 0; waits < WAITS; waits++) {
    const optionsJSON = await optionsFor(form, form.dataset.passkeyGet).catch(() => null);
    if (!optionsJSON) return;
    const isOver = Symbol();
    const pause = new Promise((done) => setTimeout(done, CHALLENGE_MS, isOver));
    const asked = webauthn.startAuthentication({ optionsJSON, useBrowserAutofill: true });
    const credential = await Promise.race([asked, pause]).catch(() => null);
    if (credential === null) return;
    if (credential !== isOver) return send(form, credential);
    asked.catch(() => null);
  }
}

/** Makes a passkey without a question, where a password manager does that for the password it has just filled in. */
async function upgrade(form) {
  const can = await window.PublicKeyCredential.getClientCapabilities?.().catch(() => null);
  if (!can?.conditionalCreate) return;
  const optionsJSON = await optionsFor(form, form.dataset.passkeyCreate).catch(() => null);
  if (!optionsJSON) return;
  const credential = await webauthn.startRegistration({ optionsJSON, useAutoRegister: true }).catch(() => null);
  if (credential) send(form, credential);
}

/** Creates an account with a passkey, from the form that can create one with a password, too. */
function signUp(form) {
  const chosen = form.elements['with'];
  const button = form.querySelector('[data-passkey-button]');
  offer(form, form.dataset.passkeySignUp, webauthn.startRegistration, {
    names: ['email', 'display_name'],
    // What is wrong with the fields, the page says.
    refused: () => form.submit(),
  });
  button.addEventListener('click', () => (chosen.value = 'passkey'), { capture: true });
  form.addEventListener('submit', () => (chosen.value = ''));
  if (form.querySelector('[type="submit"]')) return;
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target.matches('input')) button.click();
  });
}

if (webauthn.browserSupportsWebAuthn()) {
  for (const form of document.querySelectorAll('form[data-passkey-sign-up]')) signUp(form);
  for (const form of document.querySelectorAll('form[data-passkey-create]')) {
    offer(form, form.dataset.passkeyCreate, webauthn.startRegistration);
    if ('passkeyUpgrade' in form.dataset) void upgrade(form);
  }
  for (const form of document.querySelectorAll('form[data-passkey-get]')) {
    offer(form, form.dataset.passkeyGet, webauthn.startAuthentication);
    void suggest(form);
  }
}
