// Changes of files, unified or side by side. Long files are split into blocks that the browser lays
// out only near the window, so that 10,000 lines stay fast and the browser's own search finds them.
import type { DiffHunk, FilePart } from '../diff/rows.ts'
import type { Child } from '../jsx/html.ts'
import type { PageMarkdown } from '../markdown/page-markdown.ts'
import { BLOCK_ROWS } from './code-view.tsx'
import { changedLineHref, diffAnchor, DiffTable } from './diff-table.tsx'
import { fileStatusStyle } from './diff-status.ts'
import { DiffFiles, type TreeFile } from './diff-tree.tsx'
import { Icon, IconDrawings, type IconName } from './icon.tsx'
import { ImageDiff, type ChangedImage } from './image-diff.tsx'
import { DocumentDiff } from './document.tsx'
import { NotebookDiff, type NotebookChange } from './notebook-diff.tsx'
import { Stat } from './rows.tsx'
import { UntrustedName } from './bidi-controls.tsx'
import { rich, t, tn } from '../text.ts'

export type { DiffHunk, DiffLine } from '../diff/rows.ts'
export { changedLineHref, diffAnchor }

/** One changed file, as `get_pull_changes`, `get_commit` and `compare` return it. */
export interface DiffFile {
  path: string
  old_path?: string | null
  status: 'added' | 'modified' | 'removed' | 'renamed' | 'copied' | 'type_changed' | (string & {})
  additions: number
  deletions: number
  binary?: boolean
  generated?: boolean
  mode?: string | null
  old_mode?: string | null
  hunks: readonly DiffHunk[]
  truncated?: boolean
  reason?: string | null
  viewed?: boolean
  /** The end of the file is shown, so nothing can be expanded below. */
  complete?: boolean
  /** What changed in a notebook, cell by cell. */
  notebook?: NotebookChange
  /** The language of the lines, where the path does not tell it. */
  language?: string | null
  /** The rows that the page shows; all of them without. */
  part?: FilePart
  /** The versions of an image, or that they are loaded on request. */
  image?: ChangedImage | 'later'
}

/** The content below a line: a thread of comments, a form. */
export interface DiffThread {
  path: string
  side: 'old' | 'new'
  line: number
  content: Child
}

export interface DiffOptions {
  split?: boolean
  threads?: readonly DiffThread[]
  /** What jobs and scanners say about lines, above the threads. */
  annotations?: readonly DiffThread[]
  /** The address of a comment form for a line, by its id. With it every line has a + button. */
  commentHref?: (lineId: string) => string
  /** The address that shows a file in full, for files that are left out. */
  loadHref?: (path: string) => string
  /** The address of the file in the new version. */
  fileHref?: (file: DiffFile) => string | null
  /** The address of the rest of a file, from a line on. With it a part of a file ends with a link. */
  restHref?: (path: string, lineId: string) => string
  /** The address that expands unchanged lines of the file with an id, by their new numbers. */
  expandHref?: (anchor: string, from: number, to: number) => string
  /** The addresses of the bytes of both versions. */
  bytesHref?: (file: DiffFile) => { before: string | null; after: string | null }
  /** Further controls in the head of a file: the viewed mark, a menu. */
  fileActions?: (file: DiffFile, options: Pick<DiffOptions, 'sharedIcons'>) => Child
  /** Whether to lay out lines only near the window. Undefined decides by the number of lines. */
  lazy?: boolean
  /** The page that highlights the lines; without it they are plain. */
  page?: Pick<PageMarkdown, 'placeSource'>
  /** Shows lines without highlighting. */
  plain?: boolean
  /** How many bytes colours and marked words may still have on the page; any number without. */
  room?: { bytes: number }
  /** The page has so many files that each is laid out only near the window. */
  manyFiles?: boolean
  /** The icons of files refer to drawings that the page has once. */
  sharedIcons?: boolean
  /** The place of the file among all files, for pages with more than one. */
  place?: { at: number; of: number }
}

/** Files after this many lines of a page are not highlighted, so that huge changes load fast. */
const MAX_HIGHLIGHTED_LINES = 4_000

/** The icons of the heads of files and of the notes in them, which a large change has hundreds of times. */
const SHARED_ICONS: readonly IconName[] = [
  'chevron-right',
  'arrow-right',
  'diff-added',
  'diff-removed',
  'diff-modified',
  'diff-renamed',
  'copy',
  'file',
  'info',
  'eye',
  'check',
]
/** Pages with fewer files draw their icons in place. */
const MIN_SHARING_FILES = 5

const Note = ({
  icon,
  options,
  children,
}: {
  icon: IconName
  options: DiffOptions
  children?: Child
}) => (
  <p class="diff-note">
    <Icon name={icon} shared={options.sharedIcons} /> <span>{children}</span>
  </p>
)

/** A link that loads the file alone into the page. Without the script it leads to a page of it. */
const LoadLink = ({
  file,
  options,
  near = false,
  children,
}: {
  file: DiffFile
  options: DiffOptions
  near?: boolean
  children?: Child
}) => {
  const href = options.loadHref?.(file.path)
  return href === undefined ? null : (
    <a href={href} rel="nofollow" data-part data-near={near}>
      {children}
    </a>
  )
}

/** What stands in place of the lines of a file that is not text. */
const BinaryChange = ({ file, options }: { file: DiffFile; options: DiffOptions }) => {
  const { before = null, after = null } = options.bytesHref?.(file) ?? {}
  if (/\.pdf$/i.test(file.path) && (before ?? after) !== null)
    return <DocumentDiff before={before} after={after} />
  return (
    <Note icon="file" options={options}>
      {rich('This file is not text, so its lines cannot be compared. {before}{before2}{after}', {
        before: before !== null && <a href={before}>{t('Open the old version')}</a>,
        before2: before !== null && after !== null && ` ${t('or')} `,
        after: after !== null && (
          <a href={after}>{before === null ? t('Open the file') : t('the new one')}</a>
        ),
      })}
    </Note>
  )
}

/** What stands in place of lines that are not on this page. */
const LeftOut = ({ file, options }: { file: DiffFile; options: DiffOptions }) => {
  const link = (words: string, near = false) => (
    <LoadLink file={file} options={options} near={near}>
      {words}
    </LoadLink>
  )
  if (file.reason === 'too_large')
    return (
      <Note icon="info" options={options}>
        {rich('{lines}: too many to show here. {link}', {
          lines: tn(
            '{count} changed line',
            '{count} changed lines',
            file.additions + file.deletions,
          ),
          link: link(t('Show this file alone')),
        })}
      </Note>
    )
  if (file.reason === 'generated')
    return (
      <Note icon="info" options={options}>
        {rich('This file is generated. {link}', { link: link(t('Show its changes')) })}
      </Note>
    )
  if (file.reason === 'page_limit')
    return (
      <Note icon="info" options={options}>
        {rich('Left out to keep this page quick. {link}', {
          link: link(t('Show this file'), true),
        })}
      </Note>
    )
  if (file.old_mode && file.mode && file.old_mode !== file.mode)
    return (
      <Note icon="info" options={options}>
        {rich('The mode changed from {old_mode} to {mode}.', {
          old_mode: file.old_mode,
          mode: file.mode,
        })}
      </Note>
    )
  if (file.status === 'renamed')
    return (
      <Note icon="diff-renamed" options={options}>
        {t('Renamed without changes.')}
      </Note>
    )
  if (file.status === 'copied')
    return (
      <Note icon="copy" options={options}>
        {t('Copied without changes.')}
      </Note>
    )
  return (
    <Note icon="info" options={options}>
      {t('An empty file.')}
    </Note>
  )
}

/** A link to the lines of a file after a part of it, which the script adds below. */
const RestOfFile = ({ file, options }: { file: DiffFile; options: DiffOptions }) => {
  const { path, part } = file
  if (!part?.last || options.restHref === undefined) return null
  return (
    <Note icon="info" options={options}>
      <a href={options.restHref(path, part.last)} rel="next nofollow" data-rest>
        {t('Next lines of this file')}
      </a>
    </Note>
  )
}

const Lines = ({ file, options }: { file: DiffFile; options: DiffOptions }) => (
  <>
    <DiffTable file={file} options={options} />
    <RestOfFile file={file} options={options} />
    {file.truncated && !file.part?.last && (
      <Note icon="info" options={options}>
        {t('The rest of this file is not shown.')}{' '}
        <LoadLink file={file} options={options}>
          {t('Show all of it')}
        </LoadLink>
      </Note>
    )}
  </>
)

const Body = ({ file, options }: { file: DiffFile; options: DiffOptions }) => {
  const { image, path, status } = file
  const isBinary = file.binary === true || file.reason === 'binary'
  if (image === 'later' && isBinary)
    return (
      <Note icon="file" options={options}>
        <LoadLink file={file} options={options} near>
          {t('Show this image')}
        </LoadLink>
      </Note>
    )
  const pictures =
    image && image !== 'later' ? <ImageDiff path={path} status={status} image={image} /> : null
  if (isBinary) return pictures ?? <BinaryChange file={file} options={options} />
  if (file.notebook)
    return (
      <>
        <NotebookDiff path={path} change={file.notebook} options={options} />
        <details class="image-fold" open={(options.threads ?? []).some((one) => one.path === path)}>
          <summary>
            <Icon name="chevron-right" class="fold" /> {t('Show as lines of the file')}
          </summary>
          <Lines file={file} options={options} />
        </details>
      </>
    )
  return (
    <>
      {pictures && (
        <details class="image-fold">
          <summary>
            <Icon name="chevron-right" class="fold" /> {t('Show as image')}
          </summary>
          {pictures}
        </details>
      )}
      {file.hunks.length === 0 || file.reason === 'too_large' ? (
        <LeftOut file={file} options={options} />
      ) : (
        <Lines file={file} options={options} />
      )}
    </>
  )
}

/** The id of the frame of a file, or of a part that goes on with it. */
const frameId = ({ path, part }: DiffFile): string =>
  diffAnchor(path) + (part?.after ? `-${part.after}` : '')

/** The classes with the expected height of a file, for the browser. */
const lazyFile = (file: DiffFile): string => {
  const rows = file.hunks.reduce((count, hunk) => count + hunk.lines.length + 1, 0)
  return `lazy block-${Math.min(20, 1 + Math.ceil(rows / 10))}`
}

/** The changes of one file, in a frame that folds. A part that goes on with a file is open. */
export const DiffFileView = ({ file, options = {} }: { file: DiffFile; options?: DiffOptions }) => {
  const style = fileStatusStyle(file.status)
  const { part } = file
  const goesOn = Boolean(part?.after)
  const href = options.fileHref?.(file)
  const name = (
    <>
      {file.old_path && file.old_path !== file.path && (
        <>
          <span class="muted">
            <UntrustedName>{file.old_path}</UntrustedName>
          </span>{' '}
          <Icon name="arrow-right" label={t('to')} size={14} shared={options.sharedIcons} />{' '}
        </>
      )}
      <UntrustedName>{file.path}</UntrustedName>
    </>
  )
  return (
    <details
      class={['file diff-file', options.manyFiles && !file.viewed && lazyFile(file)]}
      id={frameId(file)}
      data-path={file.path}
      data-lines={part && `${part.after}-${part.last}`}
      open={!file.viewed || goesOn}
    >
      <summary class="file-head">
        <span class="file-facts">
          <Icon name="chevron-right" class="fold" shared={options.sharedIcons} />
          <span class={`tone-${style.tone}`}>
            <Icon name={style.icon} label={style.word} shared={options.sharedIcons} />
          </span>
          <span class="mono diff-name">{name}</span>
          {goesOn && <span class="muted">{t('continued')}</span>}
          {file.generated && <span class="chip">{t('generated')}</span>}
          <Stat additions={file.additions} deletions={file.deletions} />
          <span class="file-place">
            {options.place && t('{at} of {of}', { at: options.place.at, of: options.place.of })}
          </span>
        </span>
      </summary>
      {(href || options.fileActions) && (
        <div class="diff-tools">
          {href && <a href={href}>{t('View file')}</a>}
          {options.fileActions?.(file, options)}
        </div>
      )}
      <Body file={file} options={options} />
    </details>
  )
}

interface DiffViewProps {
  files: readonly DiffFile[]
  totals?: { files: number; additions: number; deletions: number }
  /** How many of all files the reader has viewed. */
  viewed?: number
  head?: Child
  /** Links to the parts before and after the files. */
  before?: Child
  after?: Child
  /** The address of the list of all files, when these are not all. */
  listHref?: string
  /** How many files are on the pages before this one. */
  skipped?: number
  /** The files in the tree, and their addresses, when the page has only some of them. */
  tree?: { files: readonly TreeFile[]; hrefOf: (anchor: string) => string }
  options?: DiffOptions
}

const rowsOf = (file: DiffFile): number =>
  file.hunks.reduce((count, hunk) => count + hunk.lines.length, 0)

/** `viewed` counts the files of all pages; the script adds those of this one. */
const ViewedCount = ({
  files,
  viewed,
  total,
}: {
  files: readonly DiffFile[]
  viewed: number
  total: number
}) => (
  <span
    class="muted"
    data-viewed-count={String(viewed - files.filter((file) => file.viewed).length)}
  >
    {rich('{files} of {total} viewed', {
      files: viewed,
      total,
    })}
  </span>
)

/** The files below each other. Those after many lines are not highlighted. */
const FileViews = ({
  files,
  options,
  placeOf,
}: {
  files: readonly DiffFile[]
  options: DiffOptions
  placeOf: (index: number) => DiffOptions['place']
}) => {
  let coloured = 0
  return (
    <>
      {files.map((file, index) => {
        const plain = options.plain === true || coloured > MAX_HIGHLIGHTED_LINES
        coloured += rowsOf(file)
        return <DiffFileView file={file} options={{ ...options, plain, place: placeOf(index) }} />
      })}
    </>
  )
}

/**
 * All changes: totals, tree of files, files. `head` holds the switches (unified or split, white
 * space).
 */
export const DiffView = (props: DiffViewProps) => {
  const { files, skipped = 0 } = props
  const totals = props.totals ?? {
    files: files.length,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
  }
  const options: DiffOptions = {
    lazy: files.reduce((sum, file) => sum + rowsOf(file), 0) > 2 * BLOCK_ROWS,
    manyFiles: files.length > 50,
    sharedIcons: files.length >= MIN_SHARING_FILES,
    ...props.options,
  }
  const hasTree = totals.files > 1
  const { tree = { files, hrefOf: (anchor: string) => `#${anchor}` } } = props
  return (
    <section class="diff" aria-label={t('Changes')}>
      {options.sharedIcons && <IconDrawings names={SHARED_ICONS} />}
      <div class="diff-head">
        <p class="diff-totals">
          {tn('{count} changed file', '{count} changed files', totals.files)}{' '}
          <Stat additions={totals.additions} deletions={totals.deletions} />{' '}
          {options.fileActions !== undefined && props.viewed !== undefined && (
            <ViewedCount files={files} viewed={props.viewed} total={totals.files} />
          )}
        </p>
        {props.head !== undefined && <div class="actions">{props.head}</div>}
      </div>
      <div class={hasTree ? 'diff-columns' : undefined}>
        {hasTree && (
          <DiffFiles
            files={tree.files}
            first={files[0] && frameId(files[0])}
            hrefOf={({ path }) => tree.hrefOf(diffAnchor(path))}
            total={totals.files}
            listHref={props.listHref}
          />
        )}
        <div class="diff-main">
          {props.before}
          <FileViews
            files={files}
            options={options}
            placeOf={(index) =>
              hasTree ? { at: skipped + index + 1, of: totals.files } : undefined
            }
          />
          {props.after}
        </div>
      </div>
    </section>
  )
}
