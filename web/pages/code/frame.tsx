// What the pages of code share: the path in the tree, and the switch between branches.
import { getRepo, listRefNames, locateCode, type Repo } from '#features/repos/index.ts'
import { Breadcrumbs, FileTree, type TreeFolder } from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { codePath } from '../../paths.ts'
import { redirect, type Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'

export type CodeView = 'tree' | 'blob' | 'blame' | 'commits'

export type Refs = { readonly branches: readonly string[]; readonly tags: readonly string[] }

const DEFAULT_BRANCHES = 20

/**
 * Marks the links of the switch. A path that the other branch lacks leads to its nearest directory.
 */
export const OR = 'or'
export const FOLDER = 'folder'

async function folderAbove(visit: Visit, repo: Repo, rest: string) {
  const parts = rest.split('/')
  for (let length = parts.length - 1; length > 0 && length > parts.length - 30; length--) {
    const at = await visit.tryCall(locateCode, {
      repo: repo.full_name,
      rest: parts.slice(0, length).join('/'),
    })
    if (at !== null) return redirect(codePath(repo.full_name, 'tree', at.ref, at.path), 302)
  }
  return null
}

/** The repository of an address and what its end names. Redirects from the old name of a branch. */
export async function locate(visit: Visit, view: CodeView | 'raw', rest = visit.params.rest ?? '') {
  const name = repoOf(visit)
  const repo = await visit.call(getRepo, { repo: name })
  const switched = visit.url.searchParams.get(OR) === FOLDER
  const found = switched ? await visit.tryCall(locateCode, { repo: name, rest }) : null
  if (found !== null) return redirect(codePath(repo.full_name, view, found.ref, found.path), 302)
  const above = switched ? await folderAbove(visit, repo, rest) : null
  if (above !== null) return above
  const at = await visit.call(locateCode, { repo: name, rest })
  if (at.renamed)
    return redirect(codePath(repo.full_name, view, at.ref, at.path) + visit.url.search, 301)
  return { name, repo, at }
}

/** A pull request's fork has only code; everything else belongs to its repository. */
export const isFork = (repo: { full_name: string }): boolean => repo.full_name.includes('/pull/')

/** The branches and tags of the switch. All of them are on their own pages. */
export const refsOf = (visit: Visit, repo: string, most = DEFAULT_BRANCHES): Promise<Refs> =>
  visit.call(listRefNames, { repo, branches: most, tags: Math.ceil(most / 2) })

/** The path from the root of the repository, with a link for each directory. */
export const PathCrumbs = ({
  repo,
  current,
  path,
}: {
  repo: Repo
  current: string
  path: string
}) => {
  const parts = path.split('/').filter((part) => part !== '')
  return (
    <Breadcrumbs
      parts={[
        { label: repo.name, href: codePath(repo.full_name, 'tree', current) },
        ...parts.map((label, index) => ({
          label,
          href: codePath(repo.full_name, 'tree', current, parts.slice(0, index + 1).join('/')),
        })),
      ]}
    />
  )
}

/** The content of a file or folder with the tree of files beside it, where there is room. */
export const WithTree = ({
  repo,
  current,
  path,
  folders,
  children,
}: {
  repo: Repo
  current: string
  path: string
  folders: readonly TreeFolder[]
  children?: Child
}) => (
  <div class={folders.length > 0 ? 'with-tree' : undefined}>
    {folders.length > 0 && (
      <FileTree
        folders={folders}
        current={path}
        folderHref={(folder) => codePath(repo.full_name, 'tree', current, folder)}
        fileHref={(file) => codePath(repo.full_name, 'blob', current, file)}
      />
    )}
    <div class="with-tree-main" id="code-content" tabindex="-1">
      {children}
    </div>
  </div>
)
