// Changes of files, unified or side by side. Long files are cut into blocks that the browser lays out only when they come
// near the window, so that ten thousand lines stay quick and can still be found by the browser's own search.
import { highlightLines, grammarOfPath, markRanges } from '../highlight.ts'
import { pairRows, stackRows, type DiffCell, type DiffHunk, type DiffRow } from '../diff/rows.ts'
import { plural, steadyNumber } from '../format.ts'
import { raw, type Child } from '../jsx/html.ts'
import { BLOCK_ROWS, inBlocks } from './code-view.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Stat } from './rows.tsx'

export type { DiffHunk, DiffLine } from '../diff/rows.ts'

/** One changed file, as `get_pull_changes`, `get_commit` and `compare` answer it. */
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
}

/** What is woven in below a line: a thread of comments, a form. */
export interface DiffThread {
  path: string
  side: 'old' | 'new'
  line: number
  content: Child
}

export interface DiffOptions {
  split?: boolean
  threads?: readonly DiffThread[]
  /** Address of a page with a comment form at a line; makes a + beside every line. */
  commentHref?: (path: string, side: 'old' | 'new', line: number) => string
  /** Address that shows a file in full, for the ones left out. */
  loadHref?: (path: string) => string
  /** Address of the file at this version. */
  fileHref?: (file: DiffFile) => string | null
  /** Address that shows more lines between two hunks. */
  expandHref?: (path: string, newStart: number, newEnd: number) => string
  /** Further parts of a file's head: the viewed mark, a menu. */
  fileActions?: (file: DiffFile) => Child
  /** Lays lines out only when they come near the window; decided by the number of lines when left out. */
  lazy?: boolean
}

/** The id of a file on a page of changes; lines add `R<number>` or `L<number>` for the new and old side. */
export const diffAnchor = (path: string): string => `diff-${steadyNumber(path).toString(36)}${steadyNumber(`${path}\n`).toString(36)}`

const statusLooks: Record<string, { icon: IconName; word: string; tone: string }> = {
  added: { icon: 'diff-added', word: 'Added', tone: 'good' },
  removed: { icon: 'diff-removed', word: 'Removed', tone: 'bad' },
  renamed: { icon: 'diff-renamed', word: 'Renamed', tone: 'info' },
  copied: { icon: 'copy', word: 'Copied', tone: 'info' },
  modified: { icon: 'diff-modified', word: 'Changed', tone: 'wait' },
  type_changed: { icon: 'diff-modified', word: 'Type changed', tone: 'wait' },
}

const statusLook = (status: string) => statusLooks[status] ?? { icon: 'diff-modified' as const, word: status, tone: 'plain' }

type Row = { hunk: DiffHunk; before: DiffHunk | null } | { row: DiffRow; html: readonly string[] }

const Source = ({ cell, html }: { cell: DiffCell; html: readonly string[] }) => {
  const marked = markRanges(html[cell.index] ?? '', cell.marks)
  return (
    <>
      {marked === '' ? '\n' : raw(marked)}
      {cell.noNewline && <span class="no-newline" title="No newline at the end of the file">No newline at the end</span>}
    </>
  )
}

const LineNumber = ({ cell, side, anchor }: { cell: DiffCell | null; side: 'L' | 'R'; anchor: string }) =>
  cell ? (
    <td class={['ln', `ln-${cell.kind}`]} id={`${anchor}${side}${cell.number}`}>
      <a href={`#${anchor}${side}${cell.number}`} data-n={cell.number} tabindex="-1" aria-label={`${side === 'L' ? 'Old' : 'New'} line ${cell.number}`} />
    </td>
  ) : (
    <td class="ln ln-none" />
  )

const kindWord = { add: 'added', del: 'removed', context: undefined } as const

const Cell = ({ cell, side, path, html, options }: { cell: DiffCell | null; side: 'old' | 'new'; path: string; html: readonly string[]; options: DiffOptions }) =>
  cell ? (
    <td class={['src', `src-${cell.kind}`]} data-kind={kindWord[cell.kind]}>
      {options.commentHref && (
        <a class="line-comment" href={options.commentHref(path, side, cell.number)} aria-label={`Comment on ${side} line ${cell.number}`} rel="nofollow">
          <Icon name="plus" size={14} />
        </a>
      )}
      <Source cell={cell} html={html} />
    </td>
  ) : (
    <td class="src src-none" />
  )

/** Threads that belong below a row, by the sides and numbers it shows. */
const threadsOf = (row: DiffRow, threads: ReadonlyMap<string, Child[]>): Child[] => [
  ...(row.old && row.old.kind !== 'context' ? (threads.get(`old${row.old.number}`) ?? []) : []),
  ...(row.old?.kind === 'context' ? (threads.get(`old${row.old.number}`) ?? []) : []),
  ...(row.new ? (threads.get(`new${row.new.number}`) ?? []) : []),
]

const FileTable = ({ file, options }: { file: DiffFile; options: DiffOptions }) => {
  const anchor = diffAnchor(file.path)
  const split = options.split === true
  const grammar = grammarOfPath(file.path)
  const threads = new Map<string, Child[]>()
  for (const thread of options.threads ?? []) {
    if (thread.path !== file.path) continue
    const key = `${thread.side}${thread.line}`
    threads.set(key, [...(threads.get(key) ?? []), thread.content])
  }
  const rows: Row[] = []
  for (const [index, hunk] of file.hunks.entries()) {
    rows.push({ hunk, before: file.hunks[index - 1] ?? null })
    const pairs = pairRows(hunk)
    const html = highlightHunk(hunk, grammar)
    for (const row of split ? pairs : stackRows(pairs)) rows.push({ row, html })
  }
  const columns = split ? 4 : 3
  return (
    <div class={['diff-lines', split && 'diff-split']}>
      {inBlocks(rows, options.lazy ?? rows.length > BLOCK_ROWS).map((block) => (
        <div class={block.class}>
        <table role="presentation">
          <colgroup>
            <col class="col-ln" />
            {split ? <col /> : <col class="col-ln" />}
            {split && <col class="col-ln" />}
            <col />
          </colgroup>
          <tbody>
            {block.rows.map((one) => {
              if ('hunk' in one) {
                const from = one.before ? one.before.new_start + one.before.new_lines : 1
                const to = one.hunk.new_start - 1
                return (
                  <tr class="hunk">
                    <td class="hunk-mark" colspan={split ? 1 : 2}>
                      {options.expandHref && to >= from && (
                        <a href={options.expandHref(file.path, from, to)} aria-label={`Show lines ${from} to ${to}`} rel="nofollow">
                          <Icon name="more" />
                        </a>
                      )}
                    </td>
                    <td class="hunk-text" colspan={split ? 3 : 1}>
                      @@ −{one.hunk.old_start},{one.hunk.old_lines} +{one.hunk.new_start},{one.hunk.new_lines} @@ {one.hunk.heading}
                    </td>
                  </tr>
                )
              }
              const { row, html } = one
              const below = threadsOf(row, threads)
              const shown = row.new ?? row.old
              return (
                <>
                  <tr>
                    <LineNumber cell={row.old} side="L" anchor={anchor} />
                    {split && <Cell cell={row.old} side="old" path={file.path} html={html} options={options} />}
                    <LineNumber cell={row.new} side="R" anchor={anchor} />
                    {split ? (
                      <Cell cell={row.new} side="new" path={file.path} html={html} options={options} />
                    ) : (
                      <Cell cell={shown} side={row.new ? 'new' : 'old'} path={file.path} html={html} options={options} />
                    )}
                  </tr>
                  {below.length > 0 && (
                    <tr class="thread-row">
                      <td colspan={columns}>
                        <div class="thread">{below}</div>
                      </td>
                    </tr>
                  )}
                </>
              )
            })}
          </tbody>
        </table>
        </div>
      ))}
    </div>
  )
}

/** Coloured lines of a hunk. Each side is coloured on its own, as far as a part of a file can be. */
const highlightHunk = (hunk: DiffHunk, grammar: ReturnType<typeof grammarOfPath>): string[] => {
  const html: string[] = []
  const side = (skip: string): void => {
    const indexes: number[] = []
    const text: string[] = []
    for (const [index, line] of hunk.lines.entries()) {
      if (line.kind === skip) continue
      indexes.push(index)
      text.push(line.text.replace(/[\r\n]/g, ''))
    }
    // The last newline keeps an empty last line.
    const lines = highlightLines(`${text.join('\n')}\n`, grammar)
    for (const [at, index] of indexes.entries()) html[index] = lines[at] ?? ''
  }
  side('add')
  side('del')
  return html
}

const Note = ({ icon, children }: { icon: IconName; children?: Child }) => (
  <p class="diff-note">
    <Icon name={icon} /> <span>{children}</span>
  </p>
)

const Body = ({ file, options }: { file: DiffFile; options: DiffOptions }) => {
  const load = options.loadHref?.(file.path)
  const more = (words: string) => (load ? <a href={load} rel="nofollow">{words}</a> : null)
  if (file.binary || file.reason === 'binary') return <Note icon="file">This file is not text, so its lines cannot be compared.</Note>
  if (file.reason === 'too_large') return <Note icon="info">{plural(file.additions + file.deletions, 'changed line')}: too many to show here. {more('Show this file alone')}</Note>
  if (file.reason === 'generated' && file.hunks.length === 0) return <Note icon="info">This file is generated. {more('Show its changes')}</Note>
  if (file.reason === 'page_limit' && file.hunks.length === 0) return <Note icon="info">Left out to keep this page quick. {more('Show this file')}</Note>
  if (file.hunks.length === 0) {
    if (file.old_mode && file.mode && file.old_mode !== file.mode) return <Note icon="info">The mode changed from {file.old_mode} to {file.mode}.</Note>
    if (file.status === 'renamed' || file.status === 'copied') return <Note icon="diff-renamed">{file.status === 'renamed' ? 'Renamed' : 'Copied'} without changes.</Note>
    return <Note icon="info">An empty file.</Note>
  }
  return (
    <>
      <FileTable file={file} options={options} />
      {file.truncated && <Note icon="info">The rest of this file is not shown. {more('Show all of it')}</Note>}
    </>
  )
}

/** One file's changes, in a frame that folds. */
export const DiffFileView = ({ file, options = {} }: { file: DiffFile; options?: DiffOptions }) => {
  const look = statusLook(file.status)
  const href = options.fileHref?.(file)
  const name = (
    <>
      {file.old_path && file.old_path !== file.path && (
        <>
          <span class="muted">{file.old_path}</span> <Icon name="arrow-right" label="to" size={14} />{' '}
        </>
      )}
      {file.path}
    </>
  )
  return (
    <details class="file diff-file" id={diffAnchor(file.path)} open={!file.viewed}>
      <summary class="file-head">
        <span class="file-facts">
          <Icon name="chevron-right" class="fold" />
          <span class={`tone-${look.tone}`}>
            <Icon name={look.icon} label={look.word} />
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

/** The list of changed files with links to each. */
export const DiffFileList = ({ files }: { files: readonly DiffFile[] }) => (
  <ul class="diff-list" aria-label="Changed files">
    {files.map((file) => {
      const look = statusLook(file.status)
      const slash = file.path.lastIndexOf('/') + 1
      return (
        <li class={file.viewed ? 'viewed' : undefined}>
          <span class={`tone-${look.tone}`}>
            <Icon name={look.icon} label={look.word} />
          </span>
          <a class="mono" href={`#${diffAnchor(file.path)}`}>
            <span class="muted">{file.path.slice(0, slash)}</span>
            <span>{file.path.slice(slash)}</span>
          </a>
          {file.viewed && <Icon name="check" label="Viewed" />}
          <Stat additions={file.additions} deletions={file.deletions} />
        </li>
      )
    })}
  </ul>
)

/** All changes: how much, the list of files, then each file. `head` holds the switches (unified or split, white space). */
export const DiffView = (props: { files: readonly DiffFile[]; totals?: { files: number; additions: number; deletions: number }; head?: Child; options?: DiffOptions }) => {
  const totals = props.totals ?? {
    files: props.files.length,
    additions: props.files.reduce((sum, file) => sum + file.additions, 0),
    deletions: props.files.reduce((sum, file) => sum + file.deletions, 0),
  }
  const lines = props.files.reduce((sum, file) => sum + file.hunks.reduce((count, hunk) => count + hunk.lines.length, 0), 0)
  const options: DiffOptions = { lazy: lines > 2 * BLOCK_ROWS, ...props.options }
  return (
    <section class="diff" aria-label="Changes">
      <div class="diff-head">
        <details class="diff-files" open={props.files.length > 1 && props.files.length <= 30}>
          <summary>
            <Icon name="chevron-right" class="fold" /> {plural(totals.files, 'changed file')} <Stat additions={totals.additions} deletions={totals.deletions} />
          </summary>
          <DiffFileList files={props.files} />
        </details>
        {props.head !== undefined && <div class="actions">{props.head}</div>}
      </div>
      {props.files.map((file) => (
        <DiffFileView file={file} options={options} />
      ))}
    </section>
  )
}
