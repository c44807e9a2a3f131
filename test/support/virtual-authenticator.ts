import type { CDPSession, Page } from 'playwright-core';

/** Chromium's virtual authenticator (WebAuthn domain of the DevTools protocol), for the pages of one tab. */
export class VirtualAuthenticator {
  private constructor(
    private readonly session: CDPSession,
    private authenticatorId: string,
  ) {}

  /** A device with a screen lock that its owner opens at once; `usb` for a second one. */
  static async plugIn(page: Page, transport: 'internal' | 'usb' = 'internal'): Promise<VirtualAuthenticator> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    return new VirtualAuthenticator(session, await add(session, transport, true));
  }

  async credentials(): Promise<string[]> {
    const { authenticatorId } = this;
    const { credentials } = await this.session.send('WebAuthn.getCredentials', { authenticatorId });
    return credentials.map(({ credentialId }) => credentialId);
  }

  /** The same device after its owner has switched off the screen lock. Browsers make no passkeys on such a device. */
  async withoutScreenLock(): Promise<void> {
    const { authenticatorId } = this;
    const { credentials } = await this.session.send('WebAuthn.getCredentials', { authenticatorId });
    await this.session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    this.authenticatorId = await add(this.session, 'internal', false);
    for (const credential of credentials)
      await this.session.send('WebAuthn.addCredential', { authenticatorId: this.authenticatorId, credential });
  }

  /** Whether its owner touches it when a page asks. */
  async touches(enabled: boolean): Promise<void> {
    const { authenticatorId } = this;
    await this.session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  }

  /** From now on its owner does not open the screen lock. */
  refuse(): Promise<void> {
    return this.verifies(false);
  }

  /** From now on its owner opens the screen lock again. */
  accept(): Promise<void> {
    return this.verifies(true);
  }

  private async verifies(isUserVerified: boolean): Promise<void> {
    const { authenticatorId } = this;
    await this.session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  }
}

async function add(session: CDPSession, transport: 'internal' | 'usb', isLocked: boolean): Promise<string> {
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport,
      hasResidentKey: true,
      hasUserVerification: isLocked,
      isUserVerified: isLocked,
      automaticPresenceSimulation: true,
    },
  });
  return authenticatorId;
}
