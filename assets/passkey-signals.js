// Tells password managers which passkeys still work, and under which name (WebAuthn Level 3, section 5.1.10).
/* global document, window */
'use strict';

const signals = window.PublicKeyCredential;

for (const element of document.querySelectorAll('[data-passkey-signals]')) {
  const { rpId, userId, allAcceptedCredentialIds, name, displayName } = JSON.parse(element.dataset.passkeySignals);
  const silently = (sent) => sent?.catch(() => null);
  silently(signals?.signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds }));
  silently(signals?.signalCurrentUserDetails?.({ rpId, userId, name, displayName }));
}

for (const element of document.querySelectorAll('[data-passkey-unknown]')) {
  const { passkeyUnknown: credentialId, passkeyRpId: rpId } = element.dataset;
  signals?.signalUnknownCredential?.({ rpId, credentialId })?.catch(() => null);
}
