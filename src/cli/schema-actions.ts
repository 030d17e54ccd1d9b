/** What `schema` does; apart from the command, so that arguments are parsed without loading it. */
export const SCHEMA_ACTIONS = ['import', 'list', 'show', 'remove'] as const
export type SchemaAction = (typeof SCHEMA_ACTIONS)[number]
