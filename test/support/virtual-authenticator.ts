import type { CDPSession, Page } from 'playwright-core';

/** Chromium's virtual authenticator (WebAuthn domain of the DevTools protocol), for the pages of one tab. */
export class VirtualAuthenticator {
  private constructor(
    private readonly session: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  /** A device with a screen lock that its owner opens at once; `usb` for a second one. */
  static async plugIn(page: Page, transport: 'internal' | 'usb' = 'internal'): Promise<VirtualAuthenticator> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport,
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualAuthenticator(session, authenticatorId);
  }

  async credentials(): Promise<string[]> {
    const { authenticatorId } = this;
    const { credentials } = await this.session.send('WebAuthn.getCredentials', { authenticatorId });
    return credentials.map(({ credentialId }) => credentialId);
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
