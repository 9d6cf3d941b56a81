/**
 * Resolves the names in a query to ids. A name that does not exist or that the caller cannot see
 * matches nothing, so the result does not reveal which.
 */
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call } from '#core/operation.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { listActorIds } from '#features/accounts/index.ts'
import {
  fileLanguage,
  findNewPath,
  repoById,
  repoByPath,
  type RepoRow,
} from '#features/repos/index.ts'
import { listTeamRepos } from '#features/teams/index.ts'
import { findWorkspace, formerWorkspace } from '#features/workspaces/index.ts'
import { requireExpression } from './pattern.ts'
import type { Query, QualifierName } from './query.ts'
import type { Filters } from './find-request.ts'

const FIELD = 'query'

function findRepoAt(hearth: Hearth, path: string): RepoRow | null {
  const row = repoByPath(hearth.db, path)
  if (row && row.deleted_at === null) return row
  const moved = findNewPath(hearth.db, path)
  return moved === null ? null : repoByPath(hearth.db, moved)
}

/** Other names of languages. File extensions are accepted as well. */
const LANGUAGE_ALIASES: Readonly<Record<string, string>> = {
  golang: 'go',
  cpp: 'c++',
  csharp: 'c#',
  fsharp: 'f#',
  objc: 'objective-c',
  bash: 'shell',
  docker: 'dockerfile',
  make: 'makefile',
  terraform: 'hcl',
  protobuf: 'protocol buffer',
  latex: 'tex',
}
function resolveLanguages(value: string): string[] {
  const word = value.toLowerCase()
  const byEnding = /^\w+$/.test(word) ? fileLanguage(`x.${word}`)?.toLowerCase() : undefined
  return [
    ...new Set([LANGUAGE_ALIASES[word] ?? word, ...(byEnding === undefined ? [] : [byEnding])]),
  ]
}

function actorIds({ db }: Hearth, caller: Caller, name: string): string[] {
  if (name === '@me') return caller.kind === 'anonymous' ? [] : [caller.id]
  return [...listActorIds(db, name.replace(/^@/, ''))]
}

const MAX_TEAM_PAGES = 5

/**
 * Lists the repositories on which a team gives a role, as far as the caller can see the team and
 * the repositories.
 */
async function listReposOfTeam(hearth: Hearth, caller: Caller, value: string): Promise<string[]> {
  const [workspace = '', team = ''] = value.replace(/^@/, '').split('/')
  const ids: string[] = []
  try {
    for (let page = 1; page <= MAX_TEAM_PAGES; page++) {
      const { items, next } = await call(hearth, listTeamRepos, caller, {
        workspace,
        team,
        page,
        per_page: 100,
      })
      ids.push(...items.flatMap(({ full_name }) => repoByPath(hearth.db, full_name)?.id ?? []))
      if (next === null) break
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  return ids
}

async function listReposOfTeams(
  hearth: Hearth,
  caller: Caller,
  teams: readonly string[],
): Promise<string[]> {
  const ids: string[] = []
  for (const team of teams) ids.push(...(await listReposOfTeam(hearth, caller, team)))
  return ids
}

export async function resolveFilters(
  hearth: Hearth,
  caller: Caller,
  { qualifiers }: Query,
): Promise<Filters> {
  const { db } = hearth
  const values = (name: QualifierName, not: boolean) =>
    qualifiers.filter((one) => one.name === name && one.not === not).map(({ value }) => value)
  const both = <T>(name: QualifierName, of: (value: string, not: boolean) => T): T[] =>
    qualifiers.filter((one) => one.name === name).map(({ value, not }) => of(value, not))
  const repoIds = (not: boolean) =>
    values('repo', not).flatMap((path) => findRepoAt(hearth, path)?.id ?? [])
  const workspaceIds = (not: boolean) =>
    values('org', not).flatMap(
      (slug) => (findWorkspace(db, slug) ?? formerWorkspace(db, slug))?.id ?? [],
    )
  const teams = await listReposOfTeams(hearth, caller, values('team', false))
  const notTeams = await listReposOfTeams(hearth, caller, values('team', true))
  const named = repoIds(false)
  const places =
    values('repo', false).length + values('team', false).length + values('org', false).length > 0
  for (const source of [...values('regex', false), ...values('regex', true)])
    requireExpression(source, FIELD)
  // Several qualifiers of one kind are alternatives; negated ones must all hold.
  const anyOf = (name: QualifierName, ids: (value: string) => readonly string[]) => [
    ...(values(name, false).length > 0
      ? [{ values: values(name, false).flatMap(ids), not: false }]
      : []),
    ...values(name, true).map((value) => ({ values: ids(value), not: true })),
  ]
  const yes = (name: QualifierName) => values(name, false).includes('yes')
  return {
    repos: places ? [...named, ...teams] : null,
    workspaces: places ? workspaceIds(false) : null,
    notRepos: [...repoIds(true), ...notTeams],
    notWorkspaces: workspaceIds(true),
    named,
    languages: anyOf('language', resolveLanguages),
    paths: both('path', (pattern, not) => ({ pattern, not })),
    authors: anyOf('author', (name) => actorIds(hearth, caller, name)),
    assignees: anyOf('assignee', (name) => actorIds(hearth, caller, name)),
    labels: both('label', (label, not) => ({ key: label.toLowerCase(), not })),
    milestones: both('milestone', (title, not) => ({ key: title.toLowerCase(), not })),
    is: both('is', (word, not) => ({ word, not })),
    unassigned: qualifiers.findLast(({ name }) => name === 'no')
      ? !(qualifiers.findLast(({ name }) => name === 'no')?.not ?? false)
      : null,
    symbols: both('symbol', (name, not) => ({ name, not })),
    regexes: both('regex', (source, not) => ({ source, not })),
    branch: resolveBranch(
      hearth,
      values('branch', false).at(-1),
      values('repo', false).length,
      named,
    ),
    exactCase: yes('case'),
    archived: yes('archived'),
    generated: yes('generated'),
  }
}

/**
 * Returns the branch to search; null for the default branch. Throws 422 unless the query names
 * exactly one repository.
 */
function resolveBranch(
  { db }: Hearth,
  branch: string | undefined,
  places: number,
  repos: readonly string[],
): string | null {
  if (branch === undefined) return null
  if (places !== 1) throw invalid(FIELD, 'branch: is for one repository: add repo:<owner>/<name>')
  const repo = repos[0] === undefined ? null : repoById(db, repos[0])
  return repo?.default_branch === branch ? null : branch
}
