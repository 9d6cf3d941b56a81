/** Repositories as records. */
import { reaches, type Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { look } from '#core/look.ts'
import { actorOf, keepActors } from '#features/accounts/index.ts'
import { factsOf, viewerRole } from './facts.ts'
import { importers, repoLists, starCounts } from './points.ts'
import { keepWorkspaces } from '#features/workspaces/index.ts'
import type { Repo } from './schema.ts'
import type { RepoRow } from './store.ts'
import { notFound } from '#lib/errors.ts'
import { hasBranches, keepHasBranches } from './store-refs.ts'
import { keepRolesOf } from './store-roles.ts'

/** A list of records: what they need is asked for all of them at once. */
export const repoRecords = (hearth: Hearth, rows: readonly RepoRow[], caller: Caller): Repo[] =>
  look(hearth.db, () => {
    keepForRecords(hearth, rows, caller)
    return rows.map((row) => repoRecord(hearth, row, caller))
  })

/** Brings what the records of these repositories need into the look that is under way. */
export function keepForRecords(hearth: Hearth, rows: readonly RepoRow[], caller: Caller): void {
  const { db } = hearth
  const ids = rows.map(({ id }) => id)
  const person =
    caller.kind === 'user' ? caller.id : caller.kind === 'agent' ? caller.owner_id : null
  if (person !== null) keepRolesOf(db, ids, person)
  keepWorkspaces(db, [...new Set(rows.map(({ workspace_id }) => workspace_id))])
  keepHasBranches(db, ids)
  keepActors(db, [
    ...new Set(
      rows.flatMap(({ created_by, deleted_by }) => [
        created_by,
        ...(deleted_by === null ? [] : [deleted_by]),
      ]),
    ),
  ])
  for (const bring of repoLists.all(hearth)) bring(db, ids)
}

/**
 * The record of a repository as this caller sees it. The caller's right to see it is the business
 * of who asks.
 */
export function repoRecord(hearth: Hearth, row: RepoRow, caller: Caller): Repo {
  const { db, settings } = hearth
  const facts = factsOf(db, row, caller)
  if (!facts) throw notFound('the repository')
  const role = viewerRole(facts, caller)
  // Someone who is not signed in has no role, and still may read what is public.
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
    state: facts.deleted
      ? 'deleted'
      : facts.archived
        ? 'archived'
        : copies.some(({ importing }) => importing)
          ? 'importing'
          : 'active',
    // The reason may name machines that are nobody else's business.
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
    ssh_url: null,
    mirror: null,
    viewer_role: role,
    permissions: {
      read: reaches(standing, 'read'),
      triage: reaches(standing, 'triage'),
      write: reaches(standing, 'write'),
      maintain: reaches(standing, 'maintain'),
      admin: reaches(standing, 'admin'),
    },
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
