/** The JSON schema of a tool's arguments, as far as the older servers use it. */
export interface ArgumentSchema {
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
}

/** The schema of one argument. */
export interface PropertySchema {
  readonly type?: string;
  readonly anyOf?: readonly PropertySchema[];
  readonly items?: PropertySchema;
}

/** Whether a value has the type that a schema names; a schema without one accepts everything. */
export function hasType({ type, anyOf }: PropertySchema, value: unknown): boolean {
  if (anyOf) return anyOf.some((option) => hasType(option, value));
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case undefined:
      return true;
    default:
      return typeof value === type;
  }
}
