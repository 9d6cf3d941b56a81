// What the code pages share: where one is in the tree, and the switch between branches.
import { getRepo, listBranches, listTags, locateCode, type Repo } from '#features/repos/index.ts'
import { Breadcrumbs, Icon, Menu } from '../../components/index.ts'
import { codePath, repoPath } from '../../paths.ts'
import { redirect, type Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'

export type CodeView = 'tree' | 'blob' | 'blame' | 'commits'

export type Refs = { readonly branches: readonly string[]; readonly tags: readonly string[] }

const MOST_SHOWN = 20

/** The repository of an address and what its end names. An old name of a branch leads to the page of the present one. */
export async function locate(visit: Visit, view: CodeView | 'raw', rest = visit.params['rest'] ?? '') {
  const name = repoOf(visit)
  const [repo, at] = await Promise.all([visit.call(getRepo, { repo: name }), visit.call(locateCode, { repo: name, rest })])
  if (at.renamed) return redirect(codePath(repo.full_name, view, at.ref, at.path) + visit.url.search, 301)
  return { name, repo, at }
}

/** The branches and tags that the switch offers; all of them have pages of their own. */
export async function refsOf(visit: Visit, repo: string): Promise<Refs> {
  const [branches, tags] = await Promise.all([visit.call(listBranches, { repo, per_page: MOST_SHOWN }), visit.call(listTags, { repo, per_page: 10 })])
  return { branches: branches.items.map(({ name }) => name), tags: tags.items.map(({ name }) => name) }
}

export const RefSwitch = ({ repo, refs, current, view, path }: { repo: Repo; refs: Refs; current: string; view: CodeView; path: string }) => {
  // A file need not exist on the other branch; its directory view does no harm there.
  const item = (name: string) => ({ label: name, href: codePath(repo.full_name, view === 'commits' ? 'commits' : path === '' ? 'tree' : view, name, path), current: name === current })
  return (
    <Menu
      label={`Branch or tag, now ${current}`} align="left" button
      summary={<><Icon name="branch" /> <span class="mono">{/^[0-9a-f]{40}$/.test(current) ? current.slice(0, 7) : current}</span></>}
      items={[
        ...refs.branches.map(item),
        ...(refs.tags.length > 0 ? ['line' as const, ...refs.tags.map((name) => ({ ...item(name), icon: 'tag' as const }))] : []),
        'line',
        { label: 'All branches', href: repoPath(repo.full_name, '/branches') },
        { label: 'All tags', href: repoPath(repo.full_name, '/tags') },
      ]}
    />
  )
}

/** The path from the repository down, each directory a link. */
export const PathCrumbs = ({ repo, current, path }: { repo: Repo; current: string; path: string }) => {
  const parts = path.split('/').filter((part) => part !== '')
  return (
    <Breadcrumbs
      parts={[
        { label: repo.name, href: codePath(repo.full_name, 'tree', current) },
        ...parts.map((label, index) => ({ label, href: codePath(repo.full_name, 'tree', current, parts.slice(0, index + 1).join('/')) })),
      ]}
    />
  )
}
