/** The two pipes of a server's process. */
export interface Transport {
  write(bytes: Buffer): void;
  /** Set once by the connection; called with the server's stdout as it comes. */
  onBytes: (bytes: Buffer) => void;
  /** Why it ended, in words; resolves once. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends the process and all it started. */
  kill(): void;
}
