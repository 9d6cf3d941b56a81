/** Builds the public records of repositories. */
import type { RepoFacts } from '#core/access.ts'
import { reaches, type Caller, type Role } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import { actorOf, preloadActors } from '#features/accounts/index.ts'
import { factsOf, viewerRole } from '../access/repo-facts.ts'
import { importers, leadingMirrors, repoRecordPreloads, starCounts } from '../extension-points.ts'
import { preloadWorkspaces } from '#features/workspaces/index.ts'
import type { Repo } from '../schema.ts'
import type { RepoRow } from '../store/repos.ts'
import { notFound } from '#lib/errors.ts'
import { hasBranches, preloadHasBranches } from '../store/refs.ts'
import { preloadRolesOfPerson } from '../store/roles.ts'

/** The address over SSH; null while that is off. */
function sshUrl({ ssh, site_url }: Hearth['settings'], full_name: string): string | null {
  if (ssh === null) return null
  return `ssh://git@${new URL(site_url).hostname}:${ssh.port}/${full_name}.git`
}

/** Builds the records of a list, with one query for each kind of data that the rows need. */
export const repoRecords = (hearth: Hearth, rows: readonly RepoRow[], caller: Caller): Repo[] =>
  readScope(hearth.db, () => {
    preloadForRecords(hearth, rows, caller)
    return rows.map((row) => repoRecord(hearth, row, caller))
  })

/** Preloads what the rights of a caller in these repositories are decided from. */
export function preloadFacts(db: Db, rows: readonly RepoRow[], caller: Caller): void {
  const person =
    caller.kind === 'user' ? caller.id : caller.kind === 'agent' ? caller.owner_id : null
  if (person !== null)
    preloadRolesOfPerson(
      db,
      rows.map(({ id }) => id),
      person,
    )
  preloadWorkspaces(db, [...new Set(rows.map(({ workspace_id }) => workspace_id))])
}

/** Preloads what the records of these repositories need into the current read scope. */
export function preloadForRecords(hearth: Hearth, rows: readonly RepoRow[], caller: Caller): void {
  const { db } = hearth
  const ids = rows.map(({ id }) => id)
  preloadFacts(db, rows, caller)
  preloadHasBranches(db, ids)
  preloadActors(db, [
    ...new Set(
      rows.flatMap(({ created_by, deleted_by }) => [
        created_by,
        ...(deleted_by === null ? [] : [deleted_by]),
      ]),
    ),
  ])
  for (const bring of repoRecordPreloads.all(hearth)) bring(db, ids)
}

const permissionsOf = (role: Role | null): Repo['permissions'] => ({
  read: reaches(role, 'read'),
  triage: reaches(role, 'triage'),
  write: reaches(role, 'write'),
  maintain: reaches(role, 'maintain'),
  admin: reaches(role, 'admin'),
})

const stateOf = ({ deleted, archived }: RepoFacts, isImporting: boolean): Repo['state'] =>
  deleted ? 'deleted' : archived ? 'archived' : isImporting ? 'importing' : 'active'

/**
 * Builds the record of a repository as this caller sees it. The caller's access must have been
 * checked before.
 */
export function repoRecord(hearth: Hearth, row: RepoRow, caller: Caller): Repo {
  const { db, settings } = hearth
  const facts = factsOf(db, row, caller)
  if (!facts) throw notFound('the repository')
  const role = viewerRole(facts, caller)
  // Anonymous callers have no role but can read public repositories.
  const standing = role ?? (facts.private || facts.deleted ? null : 'read')
  const copies = importers
    .all(hearth)
    .map((importer) => importer.stateOf(db, row.id, hearth.clock.now()))
  const html_url = `${settings.site_url}/${facts.full_name}`
  return {
    id: row.id,
    name: facts.name,
    full_name: facts.full_name,
    workspace: facts.workspace,
    owner: facts.workspace,
    description: row.description,
    website: row.website,
    topics: JSON.parse(row.topics),
    private: facts.private,
    visibility: facts.private ? 'private' : 'public',
    default_branch: row.default_branch,
    protected: row.protected === 1,
    archived: facts.archived,
    empty: !hasBranches(db, row.id),
    state: stateOf(
      facts,
      copies.some(({ importing }) => importing),
    ),
    // The reason may name internal hosts, so only callers with a role see it.
    import_error:
      facts.role === null ? null : (copies.find(({ error }) => error !== null)?.error ?? null),
    language: row.language,
    license: row.license,
    size_in_bytes: row.size_in_bytes,
    open_issues_count: row.open_issues_count,
    open_pulls_count: row.open_pulls_count,
    stars_count: starCounts.all(hearth).reduce((sum, count) => sum + count(hearth, row), 0),
    html_url,
    clone_url: `${html_url}.git`,
    ssh_url: sshUrl(settings, facts.full_name),
    mirror: leadingMirrors.all(hearth)[0]?.(db, row.id) ?? null,
    viewer_role: role,
    permissions: permissionsOf(standing),
    created_by: actorOf(hearth, row.created_by),
    created_at: row.created_at,
    updated_at: row.updated_at,
    pushed_at: row.pushed_at,
    archived_at: row.archived_at,
    deleted_at: row.deleted_at,
    deleted_by: actorOf(hearth, row.deleted_by),
    purge_at: row.purge_at,
  }
}
