// The changes of a commit, a comparison or a pull request. The choices of the reader are in the
// address, so that they work without the browser script and can be shared.
import { getFile, listChangedFiles } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import {
  ButtonGroup,
  diffAnchor,
  DiffView,
  inTreeOrder,
  LinkButton,
  Notice,
  type DiffFile,
  type DiffOptions,
  type TreeFile,
} from '../../components/index.ts'
import { expandHunks, type ExpandedLines } from '../../diff/expand.ts'
import type { Child } from '../../jsx/html.ts'
import { codePath, withQuery } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import type { Visit } from '../../site.ts'
import { withImages } from './changed-images.ts'
import { withNotebooks } from './changed-notebooks.ts'
import { changedFilesPath, FILES_PER_PAGE } from './changed-files-path.ts'
import {
  LAST_PART,
  linesOfFile,
  parseLocation,
  partOfChange,
  roomBesideTree,
  type ChangePart,
  type PartOptions,
} from './change-parts.ts'
import { textOfFile } from './text.ts'
import { rich, t } from '../../text.ts'

/** Why a list has a file without its lines. */
const LEFT_OUT: ReadonlySet<string> = new Set(['too_large', 'page_limit', 'generated'])

/** At most this many parts of files are expanded on one page, of this many lines each. */
const MAX_EXPANDED_PARTS = 40
const MAX_EXPANDED_LINES = 1000

/** Unchanged lines of a file, by its id on the page or its path. */
type Part = { readonly file: string; readonly from: number; readonly to: number }

/**
 * The choices of a reader. `path` limits the page to a file or directory. `at` is the id of a file or
 * line that the page has. `only` loads one file for a page that is open, and `lines` some of its lines.
 */
export type ChangeChoice = {
  readonly split: boolean
  readonly white: boolean
  readonly path: string
  readonly only: string
  readonly lines: string
  readonly page: number
  readonly at: string
  readonly parts: readonly string[]
}

/** A page with a form for a comment (`on`) has the line of the form. */
export const readChoice = (url: URL): ChangeChoice => ({
  split: url.searchParams.get('view') === 'split',
  white: url.searchParams.get('w') === 'ignore',
  path: url.searchParams.get('path') ?? '',
  only: url.searchParams.get('only') ?? '',
  lines: url.searchParams.get('lines') ?? '',
  page: pageNumber({ url }),
  at: url.searchParams.get('on') ?? url.searchParams.get('at') ?? '',
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
  const [, from, to, file] = /^(\d{1,9})-(\d{1,9}):(.+)$/s.exec(text) ?? []
  return file === undefined
    ? null
    : {
        file,
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
  const { split, white, path, page, at, parts } = { ...choice, ...change }
  const address = withQuery(here, {
    ...more,
    path,
    w: white ? 'ignore' : '',
    view: split ? 'split' : '',
    page: page > 1 ? page : undefined,
    at,
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
  path: string,
  { from, to }: Part,
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

/** What the page of a change shows: one part of the files that were loaded for it. */
export interface ShownChange<T extends DiffFile>
  extends ChangePart<T & Pick<DiffFile, 'image' | 'notebook'>> {
  /** All files that were loaded, with the lines that were expanded. */
  readonly loaded: readonly T[]
  /** The files of the tree. Those of other parts are in it while they are few. */
  readonly tree: readonly T[]
}

/**
 * The part of the files that the address names, in the order of the tree beside them, completed: the requested unchanged lines, the versions
 * of images, and the cells of notebooks. Without a commit of the new version they stay as they are.
 */
export async function showPart<T extends DiffFile>(
  visit: Visit,
  { repo, sha, from }: ChangeLocation,
  files: readonly T[],
  choice: ChangeChoice,
  options: Pick<PartOptions, 'canComment' | 'bytesBelow'> = { canComment: false },
): Promise<ShownChange<T>> {
  const inOrder = inTreeOrder(files)
  const loaded = sha === null ? inOrder : await expandFiles(visit, repo, sha, inOrder, choice)
  const since = visit.url.searchParams.get('since') ?? undefined
  const query = changeHref('', choice, { at: '' }, { since })
  const { isWhole, maxBytes } = roomBesideTree(loaded)
  const sizes = {
    ...options,
    split: choice.split,
    queryBytes: Bun.escapeHTML(query).length,
    maxBytes,
    isTreeWhole: isWhole,
  }
  const [file] = loaded
  const part =
    choice.only !== '' && file
      ? linesOfFile(file, choice.lines, sizes)
      : partOfChange(loaded, choice.at, sizes)
  const tree = isWhole ? loaded : part.files
  if (sha === null) return { ...part, loaded, tree }
  const versions = { repo, sha, from }
  const completed = await withNotebooks(
    visit,
    versions,
    await withImages(visit, versions, part.files),
  )
  return { ...part, loaded, tree, files: completed }
}

/**
 * Reads the page of files that has the location in the address, and the choice with which it was read.
 * `read` reads the files of a choice; `versions` are the commits that are compared.
 */
export async function readAtLocation<C extends { readonly files: readonly DiffFile[] }>(
  visit: Visit,
  choice: ChangeChoice,
  read: (choice: ChangeChoice) => Promise<C>,
  versions: (change: C) => ChangeLocation,
): Promise<{ change: C; choice: ChangeChoice }> {
  const change = await read(choice)
  const location = parseLocation(choice.at)
  if (location === null || choice.only !== '') return { change, choice }
  const isWanted = ({ path }: { path: string }) => diffAnchor(path) === location.anchor
  const reread = async (other: Partial<ChangeChoice>) => {
    const next = { ...choice, ...other }
    return { change: await read(next), choice: next }
  }
  /** A file whose lines are not beside the others has a page of its own. */
  const withLines = (found: { change: C; choice: ChangeChoice }) => {
    const file = found.change.files.find(isWanted)
    return file && location.line !== '' && LEFT_OUT.has(file.reason ?? '') && choice.path === ''
      ? reread({ path: file.path, page: 1 })
      : found
  }
  if (change.files.some(isWanted)) return withLines({ change, choice })
  const { repo, sha, from } = versions(change)
  if (choice.path !== '' || sha === null || from === undefined) return { change, choice }
  const { items } = await visit.call(listChangedFiles, {
    repo,
    head: sha,
    ...(from === null ? {} : { base: from }),
    ...(choice.white ? { ignore_whitespace: true } : {}),
  })
  const index = items.findIndex(isWanted)
  if (index < 0) return { change, choice }
  return withLines(await reread({ page: Math.floor(index / FILES_PER_PAGE) + 1 }))
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
      const names = [diffAnchor(file.path), file.path]
      const wanted = parts.filter((part) => names.includes(part.file) && part.to >= part.from)
      if (wanted.length === 0 || file.hunks.length === 0) return file
      const shown = await Promise.all(
        wanted.map((part) => linesOf(visit, repo, sha, file.path, part)),
      )
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
  /** The pull request, as `acme/site#4`, whose files the reader marks as viewed. */
  readonly pull?: string
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
  shown: ShownChange<DiffFile>
  totals: { files: number; additions: number; deletions: number }
  viewed?: number
  choice: ChangeChoice
  here: string
  more?: Record<string, string | undefined>
  place: ChangeLocation
  head?: Child
  options?: Partial<DiffOptions>
  /** How many conversations each file has. */
  conversations?: ReadonlyMap<string, number>
  visit: Visit
}

type LinkTo = (change: Partial<ChangeChoice>) => string

/** The address of the part that begins with an id, which it leads to. */
const partHref = (to: LinkTo, at: string): string => `${to({ at, parts: [] })}#${at}`

/** The address of the part after a page of changes; null for the last one. */
function nextHref({ shown, choice, totals }: ChangeViewProps, to: LinkTo): string | null {
  if (shown.after !== null) return partHref(to, shown.after)
  const isLast = choice.page * FILES_PER_PAGE >= totals.files || choice.path !== ''
  return isLast ? null : to({ page: choice.page + 1, at: '', parts: [] })
}

/** The link to the next part, which the script follows when the reader comes near. */
const NextPart = ({ props, to }: { props: ChangeViewProps; to: LinkTo }) => {
  const { shown, choice, totals } = props
  const href = nextHref(props, to)
  const last = shown.files.at(-1)
  const next = (choice.page - 1) * FILES_PER_PAGE + shown.skipped + shown.files.length + 1
  return (
    <div id="more-files">
      {href !== null && choice.only === '' && (
        <p>
          <a class="btn btn-plain" href={href} rel="next nofollow" data-more>
            {last?.part?.last
              ? rich('The next lines of {path}', { path: <code>{last.path}</code> })
              : rich('The next files, from {next} of {files}', { next, files: totals.files })}
          </a>
        </p>
      )}
    </div>
  )
}

const PartBefore = ({ props, to }: { props: ChangeViewProps; to: LinkTo }) => {
  const { shown, choice } = props
  if (choice.only !== '' || (shown.before === null && choice.page === 1)) return null
  const href =
    shown.before === null
      ? to({ page: choice.page - 1, at: LAST_PART, parts: [] })
      : to({ at: shown.before, parts: [] })
  return (
    <p class="part-before">
      <a href={href} rel="prev nofollow">
        {shown.files[0]?.part?.after ? t('The lines before these') : t('The files before these')}
      </a>
    </p>
  )
}

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

/** The address of the list of all files. Undefined when the tree has them. */
function listOfFiles({ choice, place, totals, shown }: ChangeViewProps, to: LinkTo) {
  const isWhole = shown.tree.length >= totals.files || choice.path !== ''
  if (isWhole || place.sha === null || place.from === undefined) return undefined
  return changedFilesPath(place.repo, {
    base: place.from,
    head: place.sha,
    white: choice.white,
    back: to({ page: 1, at: '', parts: [] }),
    ...(place.pull !== undefined && { pull: place.pull }),
  })
}

/** The options of the files: the addresses of what their links load, and what only one page has. */
function diffOptions(props: ChangeViewProps, to: LinkTo, query: LinkTo): DiffOptions {
  const { choice, place, shown } = props
  return {
    split: choice.split,
    page: props.visit.markdown,
    room: shown.room,
    loadHref: (path) => to({ path, page: 1, at: '', parts: [] }),
    ...(choice.only !== '' && {
      restHref: (path: string, lineId: string) =>
        to({ path, page: 1, at: diffAnchor(path) + lineId }),
    }),
    fileHref: (file) =>
      place.sha === null || file.status === 'removed' || file.mode === '160000'
        ? null
        : codePath(place.repo, 'blob', place.sha, file.path),
    bytesHref: (file) => bytesOf(place, file),
    ...(place.sha !== null && {
      expandHref: (anchor: string, from: number, end: number) => {
        const at = `${anchor}R${from}`
        return `${query({ at, parts: [...choice.parts, `${from}-${end}:${anchor}`] })}#${at}`
      },
    }),
    ...props.options,
  }
}

/**
 * The switches, the files of one part and the links to its neighbours. `options` adds what only one
 * page has, such as threads; `head` adds switches; `here` is the address of the page without its query,
 * and `more` what the query keeps.
 */
export const ChangeView = (props: ChangeViewProps) => {
  const { choice, here, shown } = props
  const to: LinkTo = (change) => changeHref(here, choice, change, props.more)
  const query: LinkTo = (change) => changeHref(pageBase(props), choice, change, props.more)
  const tree: TreeFile[] = shown.tree.map((file) => ({
    ...file,
    comments: props.conversations?.get(file.path),
  }))
  const begun = new Set(
    shown.files.filter(({ part }) => !part?.after).map(({ path }) => diffAnchor(path)),
  )
  return (
    <>
      {choice.path !== '' && (
        <OnlyFile
          path={choice.path}
          all={to({
            path: '',
            at: shown.loaded.length === 1 ? diffAnchor(choice.path) : '',
            parts: [],
          })}
        />
      )}
      <DiffView
        before={<PartBefore props={props} to={to} />}
        after={<NextPart props={props} to={to} />}
        files={shown.files}
        totals={props.totals}
        viewed={props.viewed}
        skipped={(choice.page - 1) * FILES_PER_PAGE + shown.skipped}
        tree={{
          files: tree,
          hrefOf: (anchor) => (begun.has(anchor) ? `#${anchor}` : partHref(query, anchor)),
        }}
        listHref={listOfFiles(props, to)}
        head={<ChangeSwitches choice={choice} props={props} to={to} />}
        options={diffOptions(props, to, query)}
      />
    </>
  )
}

/**
 * The path of links that only change the query: empty, because a page may have thousands of them. A
 * refused form is shown at the address of the form, where they need it.
 */
const pageBase = ({ visit, here }: Pick<ChangeViewProps, 'visit' | 'here'>): string =>
  visit.url.pathname === here ? '' : here

/** The address of the form for a comment on a line, by the id of the line. */
export function commentHref(
  visit: Visit,
  here: string,
  choice: ChangeChoice,
): (lineId: string) => string {
  const base = changeHref(pageBase({ visit, here }), choice, { at: '' })
  return (lineId) => `${base}${base.includes('?') ? '&' : '?'}on=${lineId}`
}
