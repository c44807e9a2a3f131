/** The content of a notification before it is stored. */
export interface Message {
  readonly title: string;
  readonly body: string;
  readonly data: Record<string, unknown> | null;
  /** Seconds. */
  readonly ttl: number;
}
