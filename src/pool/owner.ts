/** Who leases: sandboxes are never shared between two owners. */
export interface Owner {
  /** Unique for as long as the engine lives. */
  readonly id: string;
  readonly kind: 'mcp' | 'notebook' | 'cli';
  /** For people: the client's or the notebook's name. */
  readonly label: string;
}
