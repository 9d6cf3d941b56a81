// The changed files as a tree of directories. A directory with a single subdirectory shares its
// line. Lines are short, because a page may have hundreds of them: letters and marks are in the
// style sheet, and whole paths in titles, which the filter reads.
import { formatNumber } from '../format.ts'
import type { Child } from '../jsx/html.ts'
import { UntrustedName } from './bidi-controls.tsx'
import { Button } from './button.tsx'
import { fileStatusStyle } from './diff-status.ts'
import type { DiffFile } from './diff-view.tsx'
import { Icon } from './icon.tsx'
import { rich, t, tn } from '../text.ts'

export type TreeFile = Pick<DiffFile, 'path' | 'status' | 'additions' | 'deletions'> & {
  viewed?: boolean
  /** The number of conversations and pending comments. */
  comments?: number
}

type TreePath = { readonly path: string }
type Folder<T> = { folders: Map<string, Folder<T>>; files: T[] }

const empty = <T,>(): Folder<T> => ({ folders: new Map(), files: [] })

function treeOf<T extends TreePath>(files: readonly T[]): Folder<T> {
  const root = empty<T>()
  for (const file of files) {
    let folder = root
    for (const part of file.path.split('/').slice(0, -1)) {
      const next = folder.folders.get(part) ?? empty<T>()
      folder.folders.set(part, next)
      folder = next
    }
    folder.files.push(file)
  }
  return root
}

const filesOf = <T,>({ folders, files }: Folder<T>): T[] => [
  ...[...folders.values()].flatMap(filesOf<T>),
  ...files,
]

/** The files in the order of their tree: those of a folder come before the files beside it. */
export const inTreeOrder = <T extends TreePath>(files: readonly T[]): T[] => filesOf(treeOf(files))

/** The class of a line: its status, and whether the reader has viewed it. */
const classOf = (file: TreeFile): string =>
  `is-${fileStatusStyle(file.status).mark}${file.viewed ? ' viewed' : ''}`

const countsOf = ({ additions, deletions }: TreeFile): string =>
  additions + deletions === 0 ? '' : `+${formatNumber(additions)} −${formatNumber(deletions)}`

const FileLine = ({ file, href }: { file: TreeFile; href: string }) => (
  <li class={classOf(file)}>
    <a href={href} title={file.path}>
      <UntrustedName>{file.path.slice(file.path.lastIndexOf('/') + 1)}</UntrustedName>
    </a>
    {file.comments !== undefined && file.comments > 0 && (
      <span class="diff-comments">
        <Icon
          name="comment"
          size={14}
          label={tn('{count} conversation', '{count} conversations', file.comments)}
        />
        {file.comments}
      </span>
    )}
    <small>{countsOf(file)}</small>
  </li>
)

const inFolder = (folder: Folder<TreeFile>, hrefOf: (file: TreeFile) => string): Child => (
  <>
    {[...folder.folders].map(([name, inner]) => {
      let [label, shown] = [name, inner]
      while (shown.files.length === 0 && shown.folders.size === 1) {
        const [only] = shown.folders
        if (!only) break
        label = `${label}/${only[0]}`
        shown = only[1]
      }
      return (
        <li class="diff-folder">
          <details open>
            <summary title={label}>
              <UntrustedName>{label}</UntrustedName>
            </summary>
            <ul>{inFolder(shown, hrefOf)}</ul>
          </details>
        </li>
      )
    })}
    {folder.files.map((file) => (
      <FileLine file={file} href={hrefOf(file)} />
    ))}
  </>
)

/** `hrefOf` returns the address of the changes of a file. */
export const DiffTree = ({
  files,
  hrefOf,
}: {
  files: readonly TreeFile[]
  hrefOf: (file: TreeFile) => string
}) => (
  <ul class="diff-list" aria-label={t('Changed files')}>
    {inFolder(treeOf(files), hrefOf)}
  </ul>
)

/** The part of a page with the first files, which that of the page of all files replaces. */
export const TREE_ID = 'diff-files'

/** The page of all files: a form asks it for those whose path contains some text. */
export const TreeSearch = ({ listHref, value }: { listHref: string; value?: string }) => {
  const { pathname, searchParams } = new URL(listHref, 'http://localhost')
  return (
    <form action={pathname} method="get" class="diff-filter" data-list-search={TREE_ID}>
      {[...searchParams].map(([name, text]) => (
        <input type="hidden" name={name} value={text} />
      ))}
      <input
        class="input"
        type="search"
        name="q"
        value={value}
        placeholder={t('Filter files')}
        aria-label={t('Filter changed files')}
        autocomplete="off"
        data-hotkey="f"
      />
      <Button small class="no-js-only">
        {t('Filter')}
      </Button>
    </form>
  )
}

type DiffFilesProps = {
  files: readonly TreeFile[]
  /** The id of the first file beside the tree. */
  first?: string
  hrefOf: (file: TreeFile) => string
  total: number
  /** The address of the list of all files, when these are not all. */
  listHref?: string
}

/** The tree beside the changes; where there is no room, a closed drawer above them. */
export const DiffFiles = ({ files, first, hrefOf, total, listHref }: DiffFilesProps) => (
  <details class="diff-files" data-change-tree>
    <summary>
      <Icon name="chevron-right" class="fold" />{' '}
      {rich('Files {total}', { total: <span class="count">{total}</span> })}
    </summary>
    <nav class="diff-files-panel" aria-label={t('Changed files')}>
      <a class="skip-tree" href={`#${first ?? ''}`}>
        {t('Skip file tree')}
      </a>
      {listHref === undefined ? (
        <input
          class="input js-only"
          type="search"
          placeholder={t('Filter files')}
          aria-label={t('Filter changed files')}
          autocomplete="off"
          data-hotkey="f"
          data-tree-filter
        />
      ) : (
        <TreeSearch listHref={listHref} />
      )}
      <div data-list>
        <div id={listHref === undefined ? undefined : TREE_ID}>
          {listHref !== undefined && (
            <p class="small">
              {rich('{files} of this page. <a>Show all {total}</a>', {
                files: tn('{count} file', '{count} files', files.length),
                a: (inner) => (
                  <a href={listHref} rel="nofollow" data-part={TREE_ID}>
                    {inner}
                  </a>
                ),
                total: formatNumber(total),
              })}
            </p>
          )}
          <DiffTree files={files} hrefOf={hrefOf} />
        </div>
      </div>
    </nav>
  </details>
)
