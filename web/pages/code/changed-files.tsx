// The list of all files of a change that is split into pages, in parts. The browser script loads it
// into the page, and what its filter finds; without the script it is a page of its own.
import { listViewedFiles } from '#features/pulls/index.ts'
import { getRepo, listChangedFiles } from '#features/repos/index.ts'
import {
  changedLineHref,
  DiffTree,
  LinkButton,
  PageHead,
  TREE_ID,
  TreeSearch,
  type TreeFile,
} from '../../components/index.ts'
import { formatNumber } from '../../format.ts'
import { withQuery } from '../../paths.ts'
import { page, safeRedirectPath, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { FILES_PER_PAGE } from './changed-files-path.ts'
import { rich, t, tn } from '../../text.ts'

/** The lines of one part: about 50 KB of HTML, and less than 90 KB with long paths. */
const FILES_PER_PART = 200
const MAX_QUERY_LENGTH = 200

/** What the reader of a pull request, named as `acme/site#4`, has viewed of it. */
async function viewedFiles(visit: Visit, name: string | null): Promise<ReadonlySet<string>> {
  const [, repo = '', number = ''] = /^([^#]+)#(\d{1,9})$/.exec(name ?? '') ?? []
  const found =
    repo === '' ? null : await visit.tryCall(listViewedFiles, { repo, number: Number(number) })
  return new Set(found?.items)
}

async function loadChangedFiles(visit: Visit) {
  const query = visit.url.searchParams
  const back = safeRedirectPath(query.get('back'))
  const head = query.get('head')
  if (!head || back === null) return null
  const base = query.get('base')
  const repo = await visit.call(getRepo, { repo: repoOf(visit) })
  const list = await visit.call(listChangedFiles, {
    repo: repo.full_name,
    head,
    ...(base ? { base } : {}),
    ...(query.get('w') === 'ignore' ? { ignore_whitespace: true } : {}),
  })
  const viewed = await viewedFiles(visit, query.get('pull'))
  return {
    repo,
    back,
    list: {
      ...list,
      items: list.items.map((file) => ({ ...file, viewed: viewed.has(file.path) })),
    },
    q: (query.get('q') ?? '').trim().slice(0, MAX_QUERY_LENGTH),
    part: Math.max(1, Math.trunc(Number(query.get('part') ?? '1')) || 1),
  }
}

type ChangedFiles = NonNullable<Awaited<ReturnType<typeof loadChangedFiles>>>

/** The files whose path has all words. Each knows the page of the change that shows it. */
function matching({ list, q }: ChangedFiles): (TreeFile & { page: number })[] {
  const words = q.toLowerCase().split(/\s+/)
  return list.items.flatMap((file, index) => {
    const path = file.path.toLowerCase()
    const page = Math.floor(index / FILES_PER_PAGE) + 1
    return words.every((word) => path.includes(word)) ? { ...file, page } : []
  })
}

/** The first part stands in the place of the tree, and each further one below it. */
const idOfPart = (part: number): string => (part === 1 ? TREE_ID : `${TREE_ID}-${part}`)

/** One part of the list, and in place of the next one a link to it. */
const Part = ({ data, here }: { data: ChangedFiles; here: string }) => {
  const { back, part, list, q } = data
  const files = matching(data)
  const end = part * FILES_PER_PART
  const shown = files.slice(end - FILES_PER_PART, end)
  const left = files.length - end
  const pages = new Map(shown.map(({ path, page }) => [path, page]))
  const pageOf = (path: string) => ((pages.get(path) ?? 1) > 1 ? pages.get(path) : undefined)
  return (
    <div id={idOfPart(part)}>
      {shown.length === 0 && q !== '' && (
        <p class="muted">{rich('No changed file has {q} in its path.', { q: <q>{q}</q> })}</p>
      )}
      <DiffTree
        files={shown}
        hrefOf={({ path }) => changedLineHref(withQuery(back, { page: pageOf(path) }), path)}
      />
      {left > 0 && (
        <p id={idOfPart(part + 1)}>
          <a
            href={withQuery(here, { q, part: part + 1 })}
            rel="next nofollow"
            data-part={idOfPart(part + 1)}
            data-near="true"
          >
            {rich('Show {min} more of {left}', {
              min: formatNumber(Math.min(left, FILES_PER_PART)),
              left: formatNumber(left),
            })}
          </a>
        </p>
      )}
      {left <= 0 && list.more && (
        <p class="muted">
          {rich('Only the first {items} files are listed.', {
            items: formatNumber(list.items.length),
          })}
        </p>
      )}
    </div>
  )
}

export const changedFilesPage = page({
  path: '/:workspace/:repo/changed-files',
  load: loadChangedFiles,
  view: (data, visit) => {
    const { repo, back, list, q } = data
    const { pathname, searchParams } = visit.url
    const here = withQuery(pathname, {
      base: searchParams.get('base') ?? undefined,
      head: searchParams.get('head') ?? undefined,
      w: searchParams.get('w') ?? undefined,
      back,
      pull: searchParams.get('pull') ?? undefined,
    })
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Changed files')} current="code" noindex>
        <PageHead
          title={tn('{count} changed file', '{count} changed files', list.items.length)}
          actions={
            <LinkButton href={back} small>
              {t('Show changes')}
            </LinkButton>
          }
        />
        <TreeSearch listHref={here} value={q} />
        <div class="card diff-all" data-list>
          <Part data={data} here={here} />
        </div>
      </RepoFrame>
    )
  },
})
