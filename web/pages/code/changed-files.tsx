// The list of all files of a change that is split into pages. The browser script loads it into the
// page; without the script it is a page of its own.
import { getRepo, listChangedFiles } from '#features/repos/index.ts'
import { diffAnchor, DiffTree, LinkButton, PageHead } from '../../components/index.ts'
import { plural } from '../../format.ts'
import { withQuery } from '../../paths.ts'
import { page, safeRedirectPath } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { FILES_PER_PAGE } from './changed-files-path.ts'

export const changedFilesPage = page({
  path: '/:workspace/:repo/changed-files',
  load: async (visit) => {
    const query = visit.url.searchParams
    const back = safeRedirectPath(query.get('back'))
    const head = query.get('head')
    if (!head || back === null) return null
    const base = query.get('base')
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    return {
      repo,
      back,
      list: await visit.call(listChangedFiles, {
        repo: repo.full_name,
        head,
        ...(base ? { base } : {}),
        ...(query.get('w') === 'ignore' ? { ignore_whitespace: true } : {}),
      }),
    }
  },
  view: ({ repo, back, list }, visit) => {
    const pages = new Map(
      list.items.map(({ path }, index) => [path, Math.floor(index / FILES_PER_PAGE) + 1]),
    )
    return (
      <RepoFrame visit={visit} repo={repo} title="Changed files" current="code" noindex>
        <PageHead
          title={plural(list.items.length, 'changed file')}
          actions={
            <LinkButton href={back} small>
              The changes
            </LinkButton>
          }
        />
        <div id="diff-files">
          <DiffTree
            files={list.items}
            hrefOf={({ path }) =>
              `${withQuery(back, { page: (pages.get(path) ?? 1) > 1 ? pages.get(path) : undefined })}#${diffAnchor(path)}`
            }
          />
          {list.more && <p class="muted">There are more.</p>}
        </div>
      </RepoFrame>
    )
  },
})
