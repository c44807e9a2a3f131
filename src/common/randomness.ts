/** Source of unpredictable values, injected so that tests can replace it. */
export abstract class Randomness {
  /** `size` bytes from a cryptographic generator. */
  abstract bytes(size: number): Buffer;
  /** A time-ordered UUID (version 7, RFC 9562): primary keys stay local in their index. */
  abstract uuid(): string;
}
