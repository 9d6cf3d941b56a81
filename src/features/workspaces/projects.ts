/**
 * Projects: repositories of a workspace under one name, for variables and context. A project grants
 * no access. Only callers who see a repository see its name in a project and can add or remove it.
 */
import type { RepoFacts, WorkspaceGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { Id, ListOf, RepoPath, Time, Type, type Static } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { invalid, notFound } from '#lib/errors.ts'
import {
  addProjectRepo,
  findProject,
  listProjectRepos,
  removeProjectRepo,
  type ProjectRow,
} from './store-projects.ts'

export const Project = Type.Object(
  {
    id: Id('prj'),
    slug: Type.String(),
    name: Type.String(),
    description: Type.String(),
    repositories: Type.Array(Type.String(), {
      description: 'Those that you can see, as <owner>/<name>.',
    }),
    packages: Type.Array(Type.String(), { description: 'As <type>:<name>.' }),
    owner: Type.String({ description: 'A username.' }),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Project', description: 'Repositories of a workspace under one name.' },
)
export type Project = Static<typeof Project>
export const Projects = ListOf(Project)

export const ProjectSlug = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The slug of a project.',
})
export const ReposInput = Type.Array(RepoPath, {
  maxItems: 500,
  description: 'All its repositories, of this workspace; replaces those you can see.',
})

function findVisibleRepo(hearth: Hearth, caller: SignedIn, full_name: string): RepoFacts | null {
  const facts = hearth.facts.repo(full_name, caller)
  return facts && isVisible(facts) ? facts : null
}

/** Whether a repository that can be in a project is visible to whom its facts are about. */
export const isVisible = (facts: RepoFacts): boolean =>
  !facts.deleted &&
  facts.parent_id === null &&
  (!facts.private || (facts.role !== null && !facts.two_factor_missing))

/** The repositories of a project that the caller can see, by name. */
export const listVisibleProjectRepos = (
  hearth: Hearth,
  row: ProjectRow,
  caller: SignedIn,
): RepoFacts[] =>
  listProjectRepos(hearth.db, row.id).flatMap(
    ({ full_name }) => findVisibleRepo(hearth, caller, full_name) ?? [],
  )

export const projectRecord = (hearth: Hearth, row: ProjectRow, caller: SignedIn): Project => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  description: row.description,
  repositories: listVisibleProjectRepos(hearth, row, caller).map(({ full_name }) => full_name),
  packages: [],
  owner: actorOf(hearth, row.created_by).username,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export function requireProject(
  db: Db,
  workspace: Pick<WorkspaceGrant, 'id' | 'slug'>,
  slug: string,
): ProjectRow {
  const row = findProject(db, workspace.id, slug)
  if (!row) throw notFound(`the project ${slug} of ${workspace.slug}`)
  return row
}

/**
 * Replaces the repositories of a project. Repositories that the caller cannot see stay. Throws 422
 * for one outside the workspace.
 */
export function setProjectRepos(
  tx: Tx,
  project: ProjectRow,
  names: readonly string[],
  caller: SignedIn,
): { before: string[]; after: string[] } {
  const { hearth } = tx
  const repos = new Map(
    names.map((name, index) => {
      const repo = findVisibleRepo(hearth, caller, name)
      if (repo?.workspace_id !== project.workspace_id)
        throw invalid(
          `repos[${index}]`,
          `${name} is not a repository of this workspace that you can see`,
        )
      return [repo.id, name]
    }),
  )
  const present = listProjectRepos(tx.db, project.id).filter(({ full_name }) =>
    findVisibleRepo(hearth, caller, full_name),
  )
  for (const { repo_id } of present)
    if (!repos.has(repo_id)) removeProjectRepo(tx, project.id, repo_id)
  for (const repo_id of repos.keys()) addProjectRepo(tx, project.id, repo_id)
  return { before: present.map(({ full_name }) => full_name), after: [...repos.values()] }
}
