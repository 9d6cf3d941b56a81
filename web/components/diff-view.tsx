// Changes of files, unified or side by side. Long files are split into blocks that the browser lays
// out only near the window, so that 10,000 lines stay fast and the browser's own search finds them.
import type { DiffHunk } from '../diff/rows.ts'
import { plural } from '../format.ts'
import type { Child } from '../jsx/html.ts'
import type { PageMarkdown } from '../markdown/page-markdown.ts'
import { BLOCK_ROWS } from './code-view.tsx'
import { diffAnchor, DiffTable } from './diff-table.tsx'
import { fileStatusStyle } from './diff-status.ts'
import { DiffTree } from './diff-tree.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Stat } from './rows.tsx'
import { UntrustedName } from './bidi-controls.tsx'

export type { DiffHunk, DiffLine } from '../diff/rows.ts'
export { diffAnchor }

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
  /** The address of a comment form for a line. With it every line has a + button. */
  commentHref?: (path: string, side: 'old' | 'new', line: number) => string
  /** The address that shows a file in full, for files that are left out. */
  loadHref?: (path: string) => string
  /** The address of the file in the new version. */
  fileHref?: (file: DiffFile) => string | null
  /** The address that expands unchanged lines, by their numbers on the new side. */
  expandHref?: (path: string, from: number, to: number) => string
  /** Further controls in the head of a file: the viewed mark, a menu. */
  fileActions?: (file: DiffFile) => Child
  /** Whether to lay out lines only near the window. Undefined decides by the number of lines. */
  lazy?: boolean
  /** The page that highlights the lines; without it they are plain. */
  page?: Pick<PageMarkdown, 'placeSource'>
  /** Shows lines without highlighting. */
  plain?: boolean
  /** The page has so many files that each is laid out only near the window. */
  manyFiles?: boolean
}

/** Files after this many lines of a page are not highlighted, so that huge changes load fast. */
const MAX_HIGHLIGHTED_LINES = 4_000

const Note = ({ icon, children }: { icon: IconName; children?: Child }) => (
  <p class="diff-note">
    <Icon name={icon} /> <span>{children}</span>
  </p>
)

const Body = ({ file, options }: { file: DiffFile; options: DiffOptions }) => {
  const load = options.loadHref?.(file.path)
  const more = (words: string, near = false) =>
    load ? (
      <a
        href={load}
        rel="nofollow"
        data-part={diffAnchor(file.path)}
        data-file={file.path}
        data-near={near}
      >
        {words}
      </a>
    ) : null
  if (file.binary || file.reason === 'binary')
    return <Note icon="file">This file is not text, so its lines cannot be compared.</Note>
  if (file.reason === 'too_large') {
    return (
      <Note icon="info">
        {plural(file.additions + file.deletions, 'changed line')}: too many to show here.{' '}
        {more('Show this file alone')}
      </Note>
    )
  }
  if (file.reason === 'generated' && file.hunks.length === 0)
    return <Note icon="info">This file is generated. {more('Show its changes')}</Note>
  if (file.reason === 'page_limit' && file.hunks.length === 0) {
    return <Note icon="info">Left out to keep this page quick. {more('Show this file', true)}</Note>
  }
  if (file.hunks.length === 0) {
    if (file.old_mode && file.mode && file.old_mode !== file.mode) {
      return (
        <Note icon="info">
          The mode changed from {file.old_mode} to {file.mode}.
        </Note>
      )
    }
    if (file.status === 'renamed') return <Note icon="diff-renamed">Renamed without changes.</Note>
    if (file.status === 'copied') return <Note icon="copy">Copied without changes.</Note>
    return <Note icon="info">An empty file.</Note>
  }
  return (
    <>
      <DiffTable file={file} options={options} />
      {file.truncated && (
        <Note icon="info">The rest of this file is not shown. {more('Show all of it')}</Note>
      )}
    </>
  )
}

/** The classes with the expected height of a file, for the browser. */
const lazyFile = (file: DiffFile): string => {
  const rows = file.hunks.reduce((count, hunk) => count + hunk.lines.length + 1, 0)
  return `lazy block-${Math.min(20, 1 + Math.ceil(rows / 10))}`
}

/** The changes of one file, in a frame that folds. */
export const DiffFileView = ({ file, options = {} }: { file: DiffFile; options?: DiffOptions }) => {
  const style = fileStatusStyle(file.status)
  const href = options.fileHref?.(file)
  const name = (
    <>
      {file.old_path && file.old_path !== file.path && (
        <>
          <span class="muted">
            <UntrustedName>{file.old_path}</UntrustedName>
          </span>{' '}
          <Icon name="arrow-right" label="to" size={14} />{' '}
        </>
      )}
      <UntrustedName>{file.path}</UntrustedName>
    </>
  )
  return (
    <details
      class={['file diff-file', options.manyFiles && !file.viewed && lazyFile(file)]}
      id={diffAnchor(file.path)}
      data-path={options.commentHref && file.path}
      open={!file.viewed}
    >
      <summary class="file-head">
        <span class="file-facts">
          <Icon name="chevron-right" class="fold" />
          <span class={`tone-${style.tone}`}>
            <Icon name={style.icon} label={style.word} />
          </span>
          <span class="mono diff-name">{name}</span>
          {file.generated && <span class="chip">generated</span>}
          <Stat additions={file.additions} deletions={file.deletions} />
        </span>
      </summary>
      {(href || options.fileActions) && (
        <div class="diff-tools">
          {href && <a href={href}>View file</a>}
          {options.fileActions?.(file)}
        </div>
      )}
      <Body file={file} options={options} />
    </details>
  )
}

/**
 * All changes: totals, list of files, files. `head` holds the switches (unified or split, white
 * space).
 */
export const DiffView = (props: {
  files: readonly DiffFile[]
  totals?: { files: number; additions: number; deletions: number }
  head?: Child
  /** The address of the list of all files, when these are not all. */
  listHref?: string
  options?: DiffOptions
}) => {
  const totals = props.totals ?? {
    files: props.files.length,
    additions: props.files.reduce((sum, file) => sum + file.additions, 0),
    deletions: props.files.reduce((sum, file) => sum + file.deletions, 0),
  }
  const lines = props.files.reduce(
    (sum, file) => sum + file.hunks.reduce((count, hunk) => count + hunk.lines.length, 0),
    0,
  )
  const options: DiffOptions = {
    lazy: lines > 2 * BLOCK_ROWS,
    manyFiles: props.files.length > 50,
    ...props.options,
  }
  let coloured = 0
  return (
    <section class="diff" aria-label="Changes">
      <div class="diff-head">
        <details class="diff-files" open={props.files.length > 1 && props.files.length <= 30}>
          <summary>
            <Icon name="chevron-right" class="fold" /> {plural(totals.files, 'changed file')}{' '}
            <Stat additions={totals.additions} deletions={totals.deletions} />
            {options.fileActions !== undefined && props.files.length === totals.files && (
              <span class="muted">
                {' '}
                {props.files.filter(({ viewed }) => viewed).length} of {totals.files} viewed
              </span>
            )}
          </summary>
          <div id={props.listHref === undefined ? undefined : 'diff-files'}>
            {props.listHref !== undefined && (
              <p>
                <a href={props.listHref} rel="nofollow" data-part="diff-files">
                  Show all {plural(totals.files, 'file')}
                </a>
                , these are on this page:
              </p>
            )}
            <DiffTree files={props.files} hrefOf={({ path }) => `#${diffAnchor(path)}`} />
          </div>
        </details>
        {props.head !== undefined && <div class="actions">{props.head}</div>}
      </div>
      {props.files.map((file) => {
        const plain = coloured > MAX_HIGHLIGHTED_LINES
        coloured += file.hunks.reduce((count, hunk) => count + hunk.lines.length, 0)
        return <DiffFileView file={file} options={plain ? { ...options, plain } : options} />
      })}
    </section>
  )
}
