/** The logos of apps, which a higher module owns; its provider is found by its type. */
export abstract class MailLogos {
  /** The app's logo now, a `data:` image; null: it has none any more, or was deleted. */
  abstract find(appId: string): Promise<string | null>;
}
