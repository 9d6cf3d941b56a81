/** Inputs of variables and secrets. */
import type { Db } from '#core/db.ts'
import type { Owner } from '#core/owner.ts'
import { mustBe, Nullable, OneOf, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { oneLine } from '#lib/one-line.ts'
import { MAX_VALUE_CHARS, USES, type Use } from './schema.ts'
import { listKnownProjects } from './store.ts'

const MAX_ENVIRONMENTS = 50
const MAX_PROJECTS = 50
const MAX_NOTE_CHARS = 280

export const SettingName = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$',
  ...mustBe('letters, digits and underscores, and may not begin with a digit'),
  description: 'The name: letters, digits and underscores, stored in upper case.',
})

export const SettingId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The row to change; left out, the one for these environments and projects.',
})

/** The inputs that change a row. */
export const settingInputs = {
  value: Type.Optional(
    Type.String({
      maxLength: MAX_VALUE_CHARS,
      description: 'Needed for a new row; left out, the row keeps its value.',
    }),
  ),
  id: Type.Optional(SettingId),
  available_to: Type.Optional(
    Type.Array(OneOf(USES), {
      minItems: 1,
      maxItems: USES.length,
      description: 'Which jobs may read it: without an environment, with one, or both (default).',
    }),
  ),
  environments: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      maxItems: MAX_ENVIRONMENTS,
      description: 'Names of environments; none means every one.',
    }),
  ),
  projects: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: MAX_PROJECTS,
      description: 'For a workspace: slugs of projects; none means every repository.',
    }),
  ),
  note: Type.Optional(
    Nullable(Type.String({ maxLength: MAX_NOTE_CHARS, description: 'What it is for.' })),
  ),
}

/** Prefixes that the forge and the workflow dialect use for names of their own. */
const RESERVED_PREFIXES = ['CI_', 'HEARTH_', 'GITHUB_']

/** The stored form of a name. Throws 422 for a reserved one. */
export function readName(name: string): string {
  const upper = name.toUpperCase()
  const prefix = RESERVED_PREFIXES.find((reserved) => upper.startsWith(reserved))
  if (prefix !== undefined)
    throw invalid('setting', `a name cannot begin with ${prefix}, which jobs use for other values`)
  return upper
}

/** Throws 422 for a value that no environment variable can have. */
export function checkValue(value: string | undefined, kind: 'variable' | 'secret'): void {
  if (value?.includes('\0')) throw invalid('value', 'value cannot contain a NUL character')
  if (value === '' && kind === 'secret') throw invalid('value', 'the value of a secret is required')
}

export const sortedNames = (names: readonly string[]): string[] => [...new Set(names)].sort()

/** One row's environments. Throws 422 for a blank name. */
export function readEnvironments(names: readonly string[]): string[] {
  const blank = names.findIndex((name) => name.trim() === '')
  if (blank >= 0) throw invalid(`environments[${blank}]`, 'the name of an environment is required')
  return sortedNames(names.map((name) => name.trim()))
}

/** Throws 422 for projects of a repository's row, and for unknown ones. */
export function readProjects(db: Db, owner: Owner, slugs: readonly string[]): string[] {
  if (slugs.length === 0) return []
  if (owner.workspace_id === null)
    throw invalid('projects', 'only variables and secrets of a workspace can name projects')
  const known = new Set(listKnownProjects(db, owner.workspace_id, slugs))
  const unknown = slugs.findIndex((slug) => !known.has(slug))
  if (unknown >= 0)
    throw invalid(
      `projects[${unknown}]`,
      `there is no project ${JSON.stringify(slugs[unknown])} in this workspace`,
    )
  return sortedNames(slugs)
}

export const readUses = (uses: readonly Use[]): Use[] => USES.filter((use) => uses.includes(use))

export const readNote = (note: string | null): string | null =>
  note === null ? null : oneLine(note, MAX_NOTE_CHARS) || null
