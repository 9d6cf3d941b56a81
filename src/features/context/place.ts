/** Where a caller looks for context: what they see of a workspace, a project or a repository. */
import type { WorkspaceGrant } from '#core/access.ts'
import type { Caller, SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type Typed } from '#core/operation.ts'
import { readScope } from '#core/read-scope.ts'
import { listRepos, type Repo } from '#features/repos/index.ts'
import { listProjects, type Project } from '#features/workspaces/index.ts'
import { notFound, Refusal } from '#lib/errors.ts'

/** Repositories of a workspace that are searched when none is named: those changed last. */
const MAX_REPOS = 100
const MAX_PROJECTS = 100

export type Place = {
  readonly hearth: Hearth
  readonly caller: SignedIn
  readonly workspace: WorkspaceGrant
  /** The repository that was named. */
  readonly repo: string | null
  readonly project: Project | null
  readonly projects: readonly Project[]
  /** The repositories of the place that the caller sees. */
  readonly repos: readonly Repo[]
  readonly now_ms: number
}

/** Calls an operation as the caller. Null when it is refused, so what they cannot read is left out. */
export async function tryCall<I, O>(
  { hearth, caller }: { readonly hearth: Hearth; readonly caller: Caller },
  operation: Typed<I, O>,
  input: NoInfer<I>,
  untrusted?: (pointers: readonly string[]) => void,
): Promise<O | null> {
  try {
    return await call(hearth, operation, caller, input, untrusted ? { untrusted } : {})
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/**
 * The caller with the right to read the directory of the workspace: its projects, people and teams.
 * Context is a right of its own (`memory:read`), and these are what it is about.
 */
export function readsDirectory(caller: SignedIn): SignedIn {
  const scopes = caller.token?.scopes ?? null
  if (caller.token === null || scopes === null) return caller
  return {
    ...caller,
    token: { ...caller.token, scopes: [...scopes, 'workspace:read'] },
  } as SignedIn
}

/** Throws 404 for a repository or a project that the caller does not see there. */
export async function placeOf(
  given: Pick<Place, 'hearth' | 'caller' | 'workspace' | 'now_ms'>,
  wanted: { readonly repo?: string | undefined; readonly project?: string | undefined },
): Promise<Place> {
  const { caller, workspace } = given
  const directory = { ...given, caller: readsDirectory(caller) }
  const projects =
    (await tryCall(directory, listProjects, { workspace: workspace.slug, per_page: MAX_PROJECTS }))
      ?.items ?? []
  const listed =
    (
      await tryCall(given, listRepos, {
        workspace: workspace.slug,
        archived: false,
        per_page: MAX_REPOS,
      })
    )?.items ?? []
  // A public repository that was listed is readable.
  const visible = readScope(given.hearth.db, () =>
    listed.filter((repo) => !repo.private || isReadable(given, repo.full_name)),
  )
  const project =
    wanted.project === undefined
      ? null
      : (projects.find(({ slug }) => slug === wanted.project?.toLowerCase()) ?? null)
  if (wanted.project !== undefined && project === null)
    throw notFound(`the project ${wanted.project} of ${workspace.slug}`)
  const name = wanted.repo === undefined ? null : fullNameIn(workspace.slug, wanted.repo)
  if (name !== null && !isReadable(given, name)) throw notFound(`the repository ${name}`)
  const repos = visible.filter(
    ({ full_name }) =>
      (name === null || full_name.toLowerCase() === name.toLowerCase()) &&
      (project === null || project.repositories.includes(full_name)),
  )
  return { ...given, repo: name, project, projects, repos }
}

/** A repository may be named without its workspace. Throws 404 for one of another workspace. */
export function fullNameIn(workspace: string, name: string): string {
  const full = name.includes('/') ? name : `${workspace}/${name}`
  if (full.split('/')[0]?.toLowerCase() !== workspace)
    throw notFound(`the repository ${name} of ${workspace}`)
  return full
}

/** Whether the caller may read a repository. An agent reads private ones only when it works there. */
export function isReadable(
  { hearth, caller }: Pick<Place, 'hearth' | 'caller'>,
  full_name: string,
): boolean {
  const facts = hearth.facts.repo(full_name, caller)
  if (!facts || facts.deleted || facts.parent_id !== null) return false
  if (!facts.private) return true
  if (facts.role === null || facts.two_factor_missing) return false
  return caller.kind !== 'agent' || facts.id === caller.repo_id
}

/** The slug of a project that a repository belongs to. */
export const projectOf = ({ projects }: Place, repo: string | null): string | null =>
  repo === null
    ? null
    : (projects.find(({ repositories }) => repositories.includes(repo))?.slug ?? null)
