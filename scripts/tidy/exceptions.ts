/**
 * What the rules of `shape.ts` let pass, each with its reason. These lists may shrink; an entry
 * that nothing needs is a fault.
 */

/** Functions over 60 lines and how long each may be. */
export const LONG_FUNCTIONS: Readonly<Record<string, number>> = {
  // The innermost loop of every comparison: a division would add calls to each of its steps.
  'src/git/diff/myers.ts split': 77,
}

/** Patterns that are more than linear, and why their input is short. */
export const BOUNDED_PATTERNS: Readonly<Record<string, string>> = {
  'src/git/pack/sha1-conditions.ts /(\\d+)\\.(\\d+)([=#])(\\d+)\\.(\\d+):([0-9a-f]{8})/':
    'reads the table above it',
}

/** Variables and collections of a module, and why they belong to the process. */
export const MODULE_STATE: Readonly<Record<string, string>> = {
  'src/core/principal.ts storage':
    'the runtime follows a call through all its awaits with it; each call has a value of its own',
  'web/locale.ts storage':
    'the language of a response follows it through all its awaits; each response has one of its own',
  'src/git/attributes/tree-attributes.ts NOTHING': 'an empty map that nobody changes',
  'src/git/history/language-table.ts LANGUAGE_BY_EXTENSION': 'a table, filled where it is declared',
  'src/git/history/language-table.ts LANGUAGE_BY_NAME': 'a table, filled where it is declared',
}
