// The changes of a commit, a comparison or a pull request. The choices of the reader are in the
// address, so that they work without the browser script and can be shared.
import { getFile } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import {
  ButtonGroup,
  diffAnchor,
  DiffView,
  LinkButton,
  Notice,
  type DiffFile,
  type DiffOptions,
} from '../../components/index.ts'
import { expandHunks, type ExpandedLines } from '../../diff/expand.ts'
import type { Child } from '../../jsx/html.ts'
import { codePath, withQuery } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import type { Visit } from '../../site.ts'
import { withImages } from './changed-images.ts'
import { withNotebooks } from './changed-notebooks.ts'
import { changedFilesPath, FILES_PER_PAGE } from './changed-files-path.ts'
import { textOfFile } from './text.ts'
import { rich, t } from '../../text.ts'

/** At most this many parts of files are expanded on one page, of this many lines each. */
const MAX_EXPANDED_PARTS = 40
const MAX_EXPANDED_LINES = 1000

type Part = { readonly path: string; readonly from: number; readonly to: number }

/**
 * The choices of a reader. `path` limits the page to a file or directory. `only` loads one file for
 * a page that is open.
 */
export type ChangeChoice = {
  readonly split: boolean
  readonly white: boolean
  readonly path: string
  readonly only: string
  readonly page: number
  readonly parts: readonly string[]
}

export const readChoice = (url: URL): ChangeChoice => ({
  split: url.searchParams.get('view') === 'split',
  white: url.searchParams.get('w') === 'ignore',
  path: url.searchParams.get('path') ?? '',
  only: url.searchParams.get('only') ?? '',
  page: pageNumber({ url }),
  parts: url.searchParams.getAll('expand').slice(0, MAX_EXPANDED_PARTS),
})

/** The choices as input of the operations that return changes. */
export const choiceInput = ({ white, path, only, page }: ChangeChoice) => ({
  ...(only !== '' || path !== '' ? { path: only || path } : {}),
  ...(white ? { ignore_whitespace: true } : {}),
  ...(only === '' ? { page } : {}),
  per_page: FILES_PER_PAGE,
})

const partOf = (text: string): Part | null => {
  const [, from, to, path] = /^(\d{1,9})-(\d{1,9}):(.+)$/s.exec(text) ?? []
  return path === undefined
    ? null
    : {
        path,
        from: Math.max(1, Number(from)),
        to: Math.min(Number(to), Number(from) + MAX_EXPANDED_LINES - 1),
      }
}

/** The address of the same page with other choices. `more` are its other query parameters. */
export function changeHref(
  here: string,
  choice: ChangeChoice,
  change: Partial<ChangeChoice> = {},
  more: Record<string, string | undefined> = {},
): string {
  const { split, white, path, page, parts } = { ...choice, ...change }
  const address = withQuery(here, {
    ...more,
    path,
    w: white ? 'ignore' : '',
    view: split ? 'split' : '',
    page: page > 1 ? page : undefined,
  })
  return parts.reduce(
    (so_far, part) =>
      `${so_far}${so_far.includes('?') ? '&' : '?'}expand=${encodeURIComponent(part)}`,
    address,
  )
}

async function linesOf(
  visit: Visit,
  repo: string,
  sha: string,
  { path, from, to }: Part,
): Promise<ExpandedLines> {
  try {
    const file = await visit.call(getFile, { repo, ref: sha, path, from_line: from, to_line: to })
    const lines = textOfFile(file)?.text.split('\n') ?? []
    if (lines.at(-1) === '') lines.pop()
    return { from, lines }
  } catch (error) {
    // After the end of the file, or no such file: nothing to show.
    if (error instanceof Refusal && error.status < 500) return { from, lines: [] }
    throw error
  }
}

/**
 * Completes the files for `ChangeView`: the requested unchanged lines, the versions of images, and
 * the cells of notebooks.
 * Without a commit of the new version they stay as they are.
 */
export async function completeFiles<T extends DiffFile>(
  visit: Visit,
  { repo, sha, from }: ChangeLocation,
  files: readonly T[],
  choice: ChangeChoice,
): Promise<(T & Pick<DiffFile, 'image' | 'notebook'>)[]> {
  if (sha === null) return [...files]
  const expanded = await expandFiles(visit, repo, sha, files, choice)
  const versions = { repo, sha, from }
  return withNotebooks(visit, versions, await withImages(visit, versions, expanded))
}

async function expandFiles<T extends DiffFile>(
  visit: Visit,
  repo: string,
  sha: string,
  files: readonly T[],
  choice: ChangeChoice,
): Promise<T[]> {
  const parts = choice.parts.flatMap((text) => partOf(text) ?? [])
  if (parts.length === 0) return [...files]
  return Promise.all(
    files.map(async (file) => {
      const wanted = parts.filter(({ path, to, from }) => path === file.path && to >= from)
      if (wanted.length === 0 || file.hunks.length === 0) return file
      const shown = await Promise.all(wanted.map((part) => linesOf(visit, repo, sha, part)))
      const ended = shown.some(
        ({ lines }, at) => lines.length < (wanted[at]?.to ?? 0) - (wanted[at]?.from ?? 0) + 1,
      )
      return { ...file, hunks: shown.reduce(expandHunks, file.hunks), complete: ended }
    }),
  )
}

/** The new version, for links to its files. */
export type ChangeLocation = {
  readonly repo: string
  readonly sha: string | null
  /** The old version, null for none. Undefined omits the list of all files. */
  readonly from?: string | null
}

/** The addresses of the bytes of both versions of a file. */
const bytesOf = ({ repo, sha, from }: ChangeLocation, file: DiffFile) => ({
  before:
    !from || file.status === 'added'
      ? null
      : codePath(repo, 'raw', from, file.old_path ?? file.path),
  after: sha === null || file.status === 'removed' ? null : codePath(repo, 'raw', sha, file.path),
})

interface ChangeViewProps {
  files: readonly DiffFile[]
  totals: { files: number; additions: number; deletions: number }
  viewed?: number
  choice: ChangeChoice
  here: string
  more?: Record<string, string | undefined>
  place: ChangeLocation
  head?: Child
  options?: Partial<DiffOptions>
  visit: Visit
}

const NextFiles = ({
  choice,
  last,
  props,
  to,
}: {
  choice: ChangeChoice
  last: number
  props: ChangeViewProps
  to: (change: Partial<ChangeChoice>) => string
}) => (
  <div id="more-files">
    {last < props.totals.files && choice.path === '' && (
      <p>
        <a
          class="btn btn-plain"
          href={to({ page: choice.page + 1, parts: [] })}
          rel="next nofollow"
          data-more
        >
          {rich('The next files, {last} to {min} of {files}', {
            last: last + 1,
            min: Math.min(props.totals.files, last + FILES_PER_PAGE),
            files: props.totals.files,
          })}
        </a>
      </p>
    )}
  </div>
)

const ChangeSwitches = ({
  choice,
  props,
  to,
}: {
  choice: ChangeChoice
  props: ChangeViewProps
  to: (change: Partial<ChangeChoice>) => string
}) => (
  <ButtonGroup label={t('How the changes are shown')}>
    {props.head}
    <LinkButton href={to({ white: !choice.white })} small>
      {choice.white ? t('Show white space') : t('Hide white space')}
    </LinkButton>
    <LinkButton href={to({ split: !choice.split })} small>
      {choice.split ? t('One column') : t('Side by side')}
    </LinkButton>
  </ButtonGroup>
)

const OnlyFile = ({ path, all }: { path: string; all: string }) => (
  <Notice>
    {rich('Only {path}. <a>Show all files</a>', {
      path: <code>{path}</code>,
      a: (inner) => <a href={all}>{inner}</a>,
    })}
  </Notice>
)

/**
 * The switches, the files and the pager. `options` adds what only one page has, such as threads;
 * `head` adds switches; `here` is the address of the page without its query, and `more` what the
 * query keeps.
 */
export const ChangeView = (props: ChangeViewProps) => {
  const { choice, place, here } = props
  const last = choice.page * FILES_PER_PAGE
  const to = (change: Partial<ChangeChoice>) => changeHref(here, choice, change, props.more)
  return (
    <>
      {choice.path !== '' && <OnlyFile path={choice.path} all={to({ path: '', parts: [] })} />}
      <DiffView
        files={props.files}
        totals={props.totals}
        viewed={props.viewed}
        skipped={last - FILES_PER_PAGE}
        listHref={
          place.sha !== null &&
          place.from !== undefined &&
          props.totals.files > FILES_PER_PAGE &&
          choice.path === ''
            ? changedFilesPath(place.repo, {
                base: place.from,
                head: place.sha,
                white: choice.white,
                back: to({ page: 1, parts: [] }),
              })
            : undefined
        }
        head={<ChangeSwitches choice={choice} props={props} to={to} />}
        options={{
          split: choice.split,
          page: props.visit.markdown,
          loadHref: (path) => to({ path, page: 1, parts: [] }),
          fileHref: (file) =>
            place.sha === null || file.status === 'removed' || file.mode === '160000'
              ? null
              : codePath(place.repo, 'blob', place.sha, file.path),
          bytesHref: (file) => bytesOf(place, file),
          ...(place.sha === null
            ? {}
            : {
                expandHref: (path, from, end) =>
                  `${to({ parts: [...choice.parts, `${from}-${end}:${path}`] })}#${diffAnchor(path)}R${from}`,
              }),
          ...props.options,
        }}
      />
      <NextFiles choice={choice} last={last} props={props} to={to} />
      {choice.page > 1 && (
        <p>
          <a href={to({ page: choice.page - 1, parts: [] })} rel="prev nofollow">
            {t('The files before these')}
          </a>
        </p>
      )}
    </>
  )
}
