/** Tells open pages of imports how far these are (server-sent events, HTML Living Standard 9.2). */
import { getRepoImport, listImports, type Import } from '#features/imports/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import { SECOND } from '#lib/time.ts'
import { eventStreamResponse, hashState, watchState } from '../../live.ts'
import { repoPath, withQuery } from '../../paths.ts'
import type { Resource, Visit } from '../../site.ts'
import { repoOf } from './frame.tsx'

/** The progress of an import has no events, so it is compared. */
const WAIT_MS = 2 * SECOND

const stateOf = (repo: Repo, copy: Import | null): string => hashState([repo.state, copy])

/** The event stream of the pages of a repository that is imported; `said` is announced when it changes. */
export const repoImportLive = (repo: Repo, copy: Import | null, said: string) => ({
  href: withQuery(repoPath(repo.full_name, '/import/live'), { state: stateOf(repo, copy) }),
  said,
})

export const repoImportStream: Resource = {
  path: '/:workspace/:repo/import/live',
  async respond(first) {
    const visit = first.forStream()
    const read = () => visit.call(getRepo, { repo: repoOf(visit) })
    const { id } = await read()
    const state = async () =>
      stateOf(await read(), await visit.tryCall(getRepoImport, { repo: repoOf(visit) }))
    const seen = visit.url.searchParams.get('state') ?? ''
    const events = watchState(visit, seen, state, (event) => event.repo_id === id, WAIT_MS)
    return await eventStreamResponse(visit, events, read)
  },
}

/** Which imports the address names. */
const whichOf = ({ url: { searchParams } }: Visit) => ({
  workspace: searchParams.get('workspace') ?? undefined,
  before: searchParams.get('before') ?? undefined,
})

export const loadImports = (visit: Visit) =>
  visit.call(listImports, { per_page: 100, ...whichOf(visit) })

/** The event stream of a list of imports; `said` is announced when it changes. */
export const importsLive = (visit: Visit, items: readonly Import[], said: string) => ({
  href: withQuery('/import/progress/live', { ...whichOf(visit), state: hashState(items) }),
  said,
})

export const importsStream: Resource = {
  path: '/import/progress/live',
  async respond(first) {
    const visit = first.forStream()
    const read = () => loadImports(visit)
    const state = async () => hashState((await read()).items)
    const seen = visit.url.searchParams.get('state') ?? ''
    const events = watchState(visit, seen, state, () => false, WAIT_MS)
    return await eventStreamResponse(visit, events, read)
  },
}
