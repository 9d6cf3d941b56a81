/**
 * The variables and secrets of one job: which rows it may read, and which row wins under a name.
 * Secrets are opened here and nowhere else.
 */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Kind } from './schema.ts'
import { openValue } from './sealing.ts'
import { listProjectsOfRepo, listRowsFor, type SettingRow } from './store.ts'

export type JobScope = {
  readonly repo_id: string
  readonly workspace_id: string
  /** The environment of the job; null without one. */
  readonly environment: string | null
}

/** The rows that win, by name. */
function winningRows(db: Db, scope: JobScope, kind: Kind): Map<string, SettingRow> {
  const projects = new Set(listProjectsOfRepo(db, scope.repo_id))
  const winners = new Map<string, { row: SettingRow; rank: number }>()
  // Oldest first, so that of equal ranks the newest stays.
  for (const row of listRowsFor(db, scope.repo_id, scope.workspace_id, kind)) {
    const rank = rankOf(row, scope, projects)
    const best = winners.get(row.name)
    if (rank !== null && (best === undefined || rank >= best.rank))
      winners.set(row.name, { row, rank })
  }
  return new Map([...winners].map(([name, { row }]) => [name, row]))
}

/**
 * How closely a row fits a job: its repository counts more than its environment, and that more than
 * its project. Null when the job may not read it.
 */
function rankOf(row: SettingRow, scope: JobScope, projects: ReadonlySet<string>): number | null {
  const uses = JSON.parse(row.available_to) as string[]
  const environments = JSON.parse(row.environments) as string[]
  const ofProjects = JSON.parse(row.projects) as string[]
  const namesEnvironment = environments.length > 0
  if (!uses.includes(scope.environment === null ? 'workflows' : 'deployments')) return null
  if (namesEnvironment && !includesName(environments, scope.environment ?? '')) return null
  if (ofProjects.length > 0 && !ofProjects.some((slug) => projects.has(slug))) return null
  return (
    (row.repo_id === null ? 0 : 4) + (namesEnvironment ? 2 : 0) + (ofProjects.length > 0 ? 1 : 0)
  )
}

/**
 * Names of environments ignore the case of A to Z alone, as the database compares them (SQLite,
 * NOCASE). Another folding here would give an environment's secrets to a job whose environment has
 * a name that only looks alike, and no protection.
 */
const foldCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const includesName = (names: readonly string[], name: string): boolean =>
  names.some((one) => foldCase(one) === foldCase(name))

/** The values of the variables that a job reads, by name. */
export const variablesFor = (db: Db, scope: JobScope): Map<string, string> =>
  new Map([...winningRows(db, scope, 'variable')].map(([name, { value }]) => [name, value]))

/** The names of the secrets that a job may read. */
export const secretNamesFor = (db: Db, scope: JobScope): string[] => [
  ...winningRows(db, scope, 'secret').keys(),
]

/**
 * Opens secrets of a job by their names; null opens all. The values go to the job only: they are
 * never stored, logged or answered. Throws when a secret cannot be read with the installation key.
 */
export function openSecrets(
  hearth: Hearth,
  scope: JobScope,
  names: ReadonlySet<string> | null,
): Map<string, string> {
  const rows = [...winningRows(hearth.db, scope, 'secret').values()]
  return new Map(
    rows
      .filter(({ name }) => names === null || names.has(name))
      .map((row) => [row.name, openValue(hearth, row)]),
  )
}
