/** Who leases a sandbox: two owners never share one. */
export interface Owner {
  /** Unique for as long as the engine lives. */
  readonly id: string;
  readonly kind: 'mcp' | 'notebook' | 'cli';
  /** For people: the client's or the notebook's name. */
  readonly label: string;
}
